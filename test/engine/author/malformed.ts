import { EvenkeelError, TerminalError } from '../../../lib/core/errors.ts';
import { settled } from '../../../lib/core/outcome.ts';

/** A result that no controller may return, and the text that the message about it must contain. */
export interface Malformed {
  readonly what: string;
  readonly result: (nowMs: number) => unknown;
  readonly says: RegExp;
}

const DAY_MS = 86_400_000;

function throwing(field: string): object {
  return Object.defineProperty({}, field, {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
}

export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const object: Record<string, unknown> = {};
  object.self = object;
  return object;
}

/** Invalid values for both functions, as an outcome or as a status. */
const PARTS: readonly Malformed[] = [
  { what: 'no outcome', result: () => ({}), says: /return \{ outcome \}/ },
  { what: 'a status alone', result: () => ({ status: { phase: 'Ready' } }), says: /return \{ outcome \}/ },
  { what: 'the name of an outcome', result: () => ({ outcome: 'settled' }), says: /is a string.*settled\(\)/ },
  { what: 'a function as the outcome', result: () => ({ outcome: settled }), says: /is a function: call it/ },
  { what: 'null as the outcome', result: () => ({ outcome: null }), says: /is null/ },
  { what: 'a list as the outcome', result: () => ({ outcome: [settled()] }), says: /unknown type/ },
  { what: 'a promise as the outcome', result: () => ({ outcome: Promise.resolve(settled()) }), says: /unknown type/ },
  { what: 'an unknown outcome', result: () => ({ outcome: { type: 'sleep' } }), says: /unknown type/ },
  {
    what: 'an outcome whose type is inherited',
    result: () => ({ outcome: { type: 'toString' } }),
    says: /unknown type/,
  },
  { what: 'a terminal outcome alone', result: () => ({ outcome: { type: 'terminal' } }), says: /reason is undefined/ },
  {
    what: 'a terminal outcome without a message',
    result: () => ({ outcome: { type: 'terminal', reason: 'Gone' } }),
    says: /message is undefined.*terminal\(reason, message\)/,
  },
  {
    what: 'a terminal outcome with an Error as its message',
    result: () => ({ outcome: { type: 'terminal', reason: 'Gone', message: new Error('x') } }),
    says: /message is an Error/,
  },
  {
    what: 'a terminal outcome with an empty reason',
    result: () => ({ outcome: { type: 'terminal', reason: '', message: 'x' } }),
    says: /reason is empty/,
  },
  {
    what: 'a time that is NaN',
    result: () => ({ outcome: { type: 'checkAt', atMs: Number.NaN } }),
    says: /atMs is NaN/,
  },
  { what: 'no time', result: () => ({ outcome: { type: 'checkAt' } }), says: /atMs is undefined/ },
  {
    what: 'a Date',
    result: (nowMs) => ({ outcome: { type: 'checkAt', atMs: new Date(nowMs) } }),
    says: /atMs is an object/,
  },
  {
    what: 'a time without an end',
    result: () => ({ outcome: { type: 'checkAt', atMs: Number.POSITIVE_INFINITY } }),
    says: /atMs is an infinite number/,
  },
  {
    what: 'a time in seconds',
    result: (nowMs) => ({ outcome: { type: 'checkAt', atMs: Math.round(nowMs / 1_000) } }),
    says: /more than a day ago.*milliseconds/,
  },
  {
    what: 'a time in microseconds',
    result: (nowMs) => ({ outcome: { type: 'checkAt', atMs: nowMs * 1_000 } }),
    says: /more than ten years ahead/,
  },
  {
    what: 'a time a little more than a day ago',
    result: (nowMs) => ({ outcome: { type: 'checkAt', atMs: nowMs - DAY_MS - 1 } }),
    says: /more than a day ago/,
  },
  {
    what: 'a retry not before NaN',
    result: () => ({ outcome: { type: 'retry', error: new Error('x'), notBeforeMs: Number.NaN } }),
    says: /notBeforeMs is NaN/,
  },
  {
    what: 'a retry in twelve years',
    result: (nowMs) => ({ outcome: { type: 'retry', error: 'x', notBeforeMs: nowMs + 12 * 365 * DAY_MS } }),
    says: /ten years ahead/,
  },
  {
    what: 'a status that is a list',
    result: () => ({ outcome: settled(), status: [] }),
    says: /status that is a list/,
  },
  { what: 'a status that is null', result: () => ({ outcome: settled(), status: null }), says: /status that is null/ },
  {
    what: 'a status that is text',
    result: () => ({ outcome: settled(), status: 'Ready' }),
    says: /status that is a string/,
  },
  {
    what: 'a promise as the status',
    result: () => ({ outcome: settled(), status: Promise.resolve({}) }),
    says: /status is a promise; await it/,
  },
  {
    what: 'a status with NaN in it',
    result: () => ({ outcome: settled(), status: { list: [1, { ratio: Number.NaN }] } }),
    says: /status\.list\[1\]\.ratio is NaN/,
  },
  {
    what: 'a status with a Map in it',
    result: () => ({ outcome: settled(), status: { a: new Map() } }),
    says: /status\.a is/,
  },
  {
    what: 'a status with a bigint',
    result: () => ({ outcome: settled(), status: { a: 1n } }),
    says: /status\.a is a bigint/,
  },
  {
    what: 'a status with a function',
    result: () => ({ outcome: settled(), status: { seen: settled } }),
    says: /status\.seen is a function/,
  },
  {
    what: 'a status that contains itself',
    result: () => ({ outcome: settled(), status: cyclic() }),
    says: /contains itself/,
  },
  { what: 'an outcome that throws when it is read', result: () => throwing('outcome'), says: /throws when it is read/ },
  {
    what: 'a status that throws when it is read',
    result: () => ({ outcome: settled(), status: throwing('phase') }),
    says: /throws when it is read/,
  },
];

const WHOLES: readonly Malformed[] = [
  { what: 'nothing', result: () => undefined, says: /returned undefined/ },
  { what: 'null', result: () => null, says: /returned null/ },
  { what: 'true', result: () => true, says: /returned a boolean/ },
  { what: 'text', result: () => 'hunter2', says: /returned a string/ },
  { what: 'a Symbol', result: () => Symbol('hunter2'), says: /returned a symbol/ },
  { what: 'a list', result: () => [settled()], says: /returned a list/ },
];

export const MALFORMED_RECONCILE: readonly Malformed[] = [
  { what: 'nothing at all', result: () => undefined, says: /return \{ outcome \}/ },
  ...WHOLES,
  ...PARTS,
];

export const MALFORMED_FINALIZE: readonly Malformed[] = [
  ...WHOLES,
  { what: 'an object without done', result: () => ({}), says: /done that is undefined.*\{ done: true \}/ },
  { what: 'done as text', result: () => ({ done: 'yes' }), says: /done that is a string/ },
  { what: 'done as a number', result: () => ({ done: 1 }), says: /done that is a number/ },
  { what: 'not done, without an outcome', result: () => ({ done: false }), says: /no outcome/ },
  {
    what: 'not done, with the name of an outcome',
    result: () => ({ done: false, outcome: 'retry' }),
    says: /outcome that is a string/,
  },
  { what: 'a done that throws when it is read', result: () => throwing('done'), says: /throws when it is read/ },
];

/** The values that can be thrown, and the reason with which the pass ends. */
export const THROWN: readonly { readonly what: string; readonly thrown: () => unknown; readonly reason: RegExp }[] = [
  { what: 'null', thrown: () => null, reason: /^null$/ },
  { what: 'undefined', thrown: () => undefined, reason: /^undefined$/ },
  { what: 'a Symbol', thrown: () => Symbol('hunter2'), reason: /^symbol$/ },
  { what: 'a revoked proxy', thrown: revoked, reason: /^UnreadableError$/ },
  { what: 'a function', thrown: () => settled, reason: /^UnreadableError$/ },
  { what: 'an object without a prototype', thrown: () => Object.create(null), reason: /^UnreadableError$/ },
  {
    what: 'an Error with a Symbol as its name',
    thrown: () => Object.assign(new Error('hunter2'), { name: Symbol('hunter2') }),
    reason: /^UnreadableError$/,
  },
  {
    what: 'an Error whose name throws',
    thrown: () =>
      Object.defineProperty(
        new Error('hunter2'),
        'name',
        Object.getOwnPropertyDescriptor(throwing('name'), 'name') ?? {},
      ),
    reason: /^UnreadableError$/,
  },
  {
    what: 'an Error whose message throws',
    thrown: () =>
      Object.defineProperty(
        new Error(),
        'message',
        Object.getOwnPropertyDescriptor(throwing('message'), 'message') ?? {},
      ),
    reason: /^UnreadableError$/,
  },
  {
    what: 'an Error with a revoked proxy as its cause',
    thrown: () => new Error('x', { cause: revoked() }),
    reason: /^UnreadableError$/,
  },
  {
    what: 'an error of ours with a number as its code',
    thrown: () => Object.assign(new EvenkeelError('X', 'x'), { code: 7 }),
    reason: /^UnreadableError$/,
  },
  {
    what: 'an error of ours with an odd code',
    thrown: () => new EvenkeelError('not so good!', 'x'),
    reason: /^UnknownError$/,
  },
  {
    what: 'a terminal error without a reason',
    thrown: () => new TerminalError(undefined as unknown as string, 'x'),
    reason: /^InvalidResult$/,
  },
  {
    what: 'a terminal error with a Symbol as its reason',
    thrown: () => new TerminalError(Symbol('x') as unknown as string, 'x'),
    reason: /^InvalidResult$/,
  },
  { what: 'an Error that causes itself', thrown: () => selfCaused(), reason: /^Error$/ },
];

function selfCaused(): Error {
  const error = new Error('hunter2');
  error.cause = error;
  return error;
}
