import type { Controller, FinalizeResult, ReconcileResult } from '../../../core/controller.ts';
import { settled } from '../../../core/outcome.ts';
import type { SimulatedProcess } from '../process.ts';

/** The end of a controller's function; `wrong` describes an invalid result. */
export interface ControllerEnd {
  readonly process: SimulatedProcess;
  readonly kind: string;
  readonly uid: string;
  readonly wrong: string | undefined;
}

export interface WrongResultsOptions {
  /** Whether the fault happens at this call. */
  readonly strikes: () => boolean;
  /** A whole number in [0, below). */
  readonly pick: (below: number) => number;
  readonly onEnd: (end: ControllerEnd) => void;
}

interface Wrong {
  readonly what: string;
  readonly end: () => unknown;
}

const NEVER_MS = 400 * 365 * 86_400_000;

/** Invalid results of authors who write without types, or whose libraries return them. */
const WRONG: readonly Wrong[] = [
  { what: 'returns {}', end: () => ({}) },
  { what: 'returns undefined', end: () => undefined },
  { what: 'returns an outcome that is a text', end: () => ({ outcome: 'settled' }) },
  { what: 'returns an outcome of no known type', end: () => ({ outcome: { type: 'done' } }) },
  { what: 'asks to be called at NaN', end: () => ({ outcome: { type: 'checkAt', atMs: Number.NaN } }) },
  { what: 'asks to be called in 400 years', end: () => ({ outcome: { type: 'checkAt', atMs: NEVER_MS } }) },
  {
    what: 'asks for a retry not before NaN',
    end: () => ({ outcome: { type: 'retry', error: new Error('it failed'), notBeforeMs: Number.NaN } }),
  },
  { what: 'returns a status that is a text', end: () => ({ outcome: settled(), status: 'ready' }) },
  { what: 'returns a status that holds itself', end: () => ({ outcome: settled(), status: circle() }) },
  { what: 'throws null', end: () => raise(null) },
  { what: 'throws undefined', end: () => raise(undefined) },
  { what: 'throws a symbol', end: () => raise(Symbol('odd')) },
  { what: 'throws an error whose name is a symbol', end: () => raise(oddlyNamed()) },
  { what: 'throws an error whose message cannot be read', end: () => raise(unreadable()) },
];
/** Invalid results of finalize only. Few passes finalize, so half of the invalid results there are of these. */
const WRONG_ENDS: readonly Wrong[] = [
  { what: 'returns true', end: () => true },
  { what: 'returns a done that is a text', end: () => ({ done: 'yes' }) },
  { what: 'is not done and says no more', end: () => ({ done: false }) },
];

/** Controllers whose functions sometimes return or throw an invalid result, instead of their work or after it. */
export class WrongResults {
  readonly #options: WrongResultsOptions;

  constructor(options: WrongResultsOptions) {
    this.#options = options;
  }

  /** The controller as this process runs it, with the fault. */
  spoil(controller: Controller, process: SimulatedProcess): Controller {
    const { finalize, forgotten } = controller;
    const spoilt: Partial<Controller> = {
      reconcile: async (object, context) =>
        (await this.#end(WRONG, object.metadata.uid, controller, process, () =>
          controller.reconcile(object, context),
        )) as ReconcileResult,
      ...(finalize !== undefined && {
        finalize: async (object, context) =>
          (await this.#end(
            this.#options.pick(2) === 0 ? WRONG : WRONG_ENDS,
            object.metadata.uid,
            controller,
            process,
            () => finalize.call(controller, object, context),
          )) as FinalizeResult,
      }),
      forgotten: (object) => {
        forgotten?.call(controller, object);
        if (this.#options.strikes()) raise(this.#options.pick(2) === 0 ? null : new Error('forgotten fails'));
      },
    };
    return new Proxy(controller, {
      get: (target, property) =>
        property in spoilt ? Reflect.get(spoilt, property) : Reflect.get(target, property, target),
    });
  }

  async #end(
    choices: readonly Wrong[],
    uid: string,
    { type }: Controller,
    process: SimulatedProcess,
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    const { strikes, pick, onEnd } = this.#options;
    const wrong = strikes() ? choices[pick(choices.length)] : undefined;
    const kind = `${type.plural}.${type.group}`;
    if (wrong === undefined) {
      try {
        return await run();
      } finally {
        onEnd({ process, kind, uid, wrong: undefined });
      }
    }
    if (pick(2) === 0) await run();
    onEnd({ process, kind, uid, wrong: wrong.what });
    return wrong.end();
  }
}

function raise(what: unknown): never {
  throw what;
}

function circle(): object {
  const status: Record<string, unknown> = {};
  status.self = status;
  return status;
}

function oddlyNamed(): Error {
  const error = new Error('its name is no text');
  Object.defineProperty(error, 'name', { value: Symbol('odd') });
  return error;
}

function unreadable(): Error {
  const error = new Error();
  Object.defineProperty(error, 'message', {
    get: () => {
      throw new Error('the message cannot be read');
    },
  });
  return error;
}
