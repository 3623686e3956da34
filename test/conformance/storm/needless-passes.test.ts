import { expect, it } from 'vitest';
import type { AuditEntry } from '../../real-apiserver/audit-log.ts';
import { needlessPasses, type PrintedPass, printedPasses, type UserWrite, userWrites } from './needless-passes.ts';

const condition = 'Ready True AllSatisfied';
const absent = 'Ready False SecretNotFound';
const pass = (startedAtMs: number, fields: Partial<PrintedPass> = {}): PrintedPass => {
  return {
    uid: 'u',
    namespace: 'a',
    name: 'web',
    cause: 'dependency',
    outcome: 'settled',
    condition,
    startedAtMs,
    ...fields,
  };
};
const write = (begunAtMs: number, endedAtMs: number, fields: Partial<UserWrite> = {}): UserWrite => {
  return { namespace: 'a', name: 'web', isDeletion: false, begunAtMs, endedAtMs, ...fields };
};

it.each<[string, PrintedPass[], UserWrite[]]>([
  ['the last one found no Secret', [pass(20, { condition: absent }), pass(40)], [write(10, 11)]],
  [
    'the timer of a retry was due',
    [pass(20, { outcome: 'retry' }), pass(30), pass(40, { cause: 'due' })],
    [write(10, 11)],
  ],
  ['it is the first', [pass(20)], [write(10, 11)]],
  ['a write came after the last one', [pass(20), pass(40)], [write(10, 11), write(30, 31)]],
  ['a write ended while the last one ran', [pass(20), pass(40)], [write(19, 20)]],
  ['it began before the write was answered', [pass(20), pass(40)], [write(10, 11), write(39, 41)]],
  ['the last one did not settle', [pass(20, { outcome: 'retry' }), pass(40)], [write(10, 11)]],
  ['the last one was of an object that is gone', [pass(20), pass(40, { uid: 'v' })], [write(10, 11)]],
  [
    'the event of a deletion comes after the pass that saw it',
    [pass(10), pass(30, { cause: 'updated' }), pass(40)],
    [write(20, 21, { isDeletion: true }), write(22, 23)],
  ],
])('the check of passes finds nothing when %s', (_, passes, writes) => {
  expect(needlessPasses(passes, writes)).toEqual([]);
});

it.each<[string, PrintedPass[], UserWrite[]]>([
  ['the last one began after the last write', [pass(20), pass(40)], [write(10, 11)]],
  ['only another pair was written', [pass(20), pass(40)], [write(10, 11), write(30, 31, { name: 'api' })]],
  [
    'it is the second one after a deletion',
    [pass(10), pass(30), pass(40), pass(41)],
    [write(20, 21, { isDeletion: true }), write(22, 23)],
  ],
  [
    'it is after a deletion, and the contract was updated',
    [pass(10), pass(30, { cause: 'updated' }), pass(40, { cause: 'updated' })],
    [write(20, 21, { isDeletion: true })],
  ],
  [
    'the last one found no Secret, and the contract was updated',
    [pass(20, { condition: absent }), pass(40, { cause: 'updated' })],
    [write(10, 11)],
  ],
  ['a timer is due that no pass has set', [pass(20), pass(40, { cause: 'due' })], [write(10, 11)]],
  ['the next write comes later', [pass(20), pass(40)], [write(10, 11), write(50, 51)]],
])('the check of passes finds a needless one when %s', (_, passes, writes) => {
  expect(needlessPasses(passes, writes)).toEqual([expect.stringMatching(/^a\/web: \w+ at 4/)]);
});

it('the check of passes reads the lines of a process and the log of the API server', () => {
  const line = {
    time: '1970-01-01T00:00:00.020Z',
    event: 'pass',
    uid: 'u',
    namespace: 'a',
    name: 'web',
    cause: 'dependency',
    condition,
    end: 'committed',
  };
  const lines = ['ready', { ...line, outcome: 'settled' }, { ...line, end: 'covered' }, { ...line, event: 'other' }];
  expect(printedPasses(lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))))).toEqual([pass(20)]);
  const entry = {
    verb: 'patch',
    userAgent: 'test',
    objectRef: { resource: 'secrets', namespace: 'a', name: 'web' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '1970-01-01T00:00:00.010999Z',
    stageTimestamp: '1970-01-01T00:00:00.011Z',
  } as AuditEntry;
  const others: Partial<AuditEntry>[] = [
    { verb: 'get' },
    { userAgent: 'evenkeel/1' },
    { responseStatus: { code: 409 } },
    { objectRef: { resource: 'secretcontracts', subresource: 'status', namespace: 'a', name: 'web' } },
  ];
  expect(userWrites([entry, ...others.map((other) => ({ ...entry, ...other }))])).toEqual([write(10, 11)]);
});
