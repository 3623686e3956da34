import { InfrastructureError } from '../../../core/errors.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import { ApiError, type ApiErrorReason, type Refusal as ApiRefusal } from '../../../ports/cluster-api.ts';
import { SeededEntropy } from '../../seeded-entropy.ts';
import type { CallVerdict, ObservedCall, SimulatedProcess } from '../process.ts';
import type { WatchVerdict } from '../simulated-cluster-api.ts';
import { ALL_FAULT_KINDS, type FaultKind } from './fault-kinds.ts';

/** The probability of each fault at one call. */
export type FaultRates = Partial<Readonly<Record<FaultKind, number>>>;

/** Makes a user act just before a call takes effect. */
export type Meddle = (seed: number, call: ObservedCall) => Promise<unknown>;

/** A kind whose calls are refused for a while. */
export interface Refusal {
  readonly kind: string;
  readonly reason: Extract<ApiErrorReason, 'Forbidden' | 'KindMissing' | 'ServerError'>;
}

const CONDITIONAL_WRITES = new Set([
  'acquire',
  'commit',
  'commitOverDirty',
  'defer',
  'forget',
  'markHeld',
  'renewAttempt',
  'saveValues',
  'pushDue',
  'holdRelay',
  'saveCheckpoint',
  'savePoll',
]);
const MUTATIONS = new Set(['create', 'patch', 'delete']);
const ANSWER: CallVerdict = { type: 'answer' };
/** The calls that may get 403. */
const FORBIDDING: readonly ApiRefusal[] = [
  { by: 'authorization' },
  { by: 'quota' },
  { by: 'admission', policy: 'sim' },
];

/**
 * Decides the result of each call, with its own streams of random numbers. Each fault has a number, so that a run can
 * be repeated without some of them.
 */
export class DrawnFaults {
  /** What cannot be reached or used now, independent of the rates. */
  readonly refusals = new Set<Refusal>();
  outage = false;
  /** Processes that will die while they hold something. */
  readonly #doomed = new Set<SimulatedProcess>();
  /** Called when the watch of a kind breaks, with the time for which events will be lost. */
  onGap: (kind: string, ms: number) => void = () => {};
  happened = 0;
  readonly #entropy: SeededEntropy;
  readonly #streams: ReadonlyMap<FaultKind, SeededEntropy>;
  readonly #meddle: Meddle;
  readonly #rates: FaultRates;
  readonly #skip: ReadonlySet<number>;
  #active = true;
  #forbidden = 0;

  /** @param skip numbers of faults that do not happen. @param meddle makes a user act. */
  constructor(seed: number, rates: FaultRates, skip: ReadonlySet<number>, meddle: Meddle) {
    this.#meddle = meddle;
    this.#entropy = new SeededEntropy(seed);
    this.#streams = new Map(
      ALL_FAULT_KINDS.map((kind, index) => [kind, new SeededEntropy(seed + 7_919 * (index + 1))]),
    );
    this.#rates = rates;
    this.#skip = skip;
  }

  resume(): void {
    this.#active = true;
  }

  /** Ends all faults. */
  stop(): void {
    this.#active = false;
    this.refusals.clear();
    this.#doomed.clear();
    this.outage = false;
  }

  /** Lets the process die before its next commit, or as soon as it has taken or renewed the relay's hold. */
  doom(process: SimulatedProcess): void {
    this.#doomed.add(process);
  }

  /** Whether a fault of this kind happens now. */
  strikes(kind: FaultKind): boolean {
    return this.#active && this.#rolls(kind) && this.#counts();
  }

  call(call: ObservedCall): CallVerdict {
    if (!this.#active) return ANSWER;
    const refused = call.port === 'api' ? this.#refused(call) : undefined;
    if (refused !== undefined) return { type: 'fail', error: refused };
    const doom = this.#doomOf(call);
    if (doom !== undefined && this.#counts()) return doom;
    const verdict = this.#draw(call);
    return verdict.type === 'answer' || this.#counts() ? verdict : ANSWER;
  }

  watch(call: ObservedCall): WatchVerdict {
    if (!this.#active) return ANSWER;
    if (this.outage || this.strikes('gap')) {
      if (this.#pick(2) === 0) this.onGap(kindId(call.args[0] as ResourceType), this.#pick(8_000));
      return { type: 'fail', error: new ApiError('Unreachable', 'the watch broke') };
    }
    if (this.strikes('silence')) return { type: 'silent' };
    if (this.strikes('replay')) return { type: 'replay', events: 1 + this.#pick(3) };
    return this.strikes('crash') ? this.#crash(call) : ANSWER;
  }

  #crash({ process }: ObservedCall): WatchVerdict {
    process.crash();
    return { type: 'silent' };
  }

  #refused({ args, scope }: ObservedCall): ApiError | undefined {
    if (this.outage) return new ApiError('Unreachable', 'the cluster cannot be reached');
    if (this.refusals.size === 0) return undefined;
    const kind = kindId(args[0] as ResourceType);
    for (const refusal of this.refusals) {
      // A gap affects watches only, and no passes.
      if (refusal.kind !== kind || (refusal.reason === 'ServerError' && scope !== undefined)) continue;
      return new ApiError(refusal.reason, `${kind} is refused`, { refusal: this.#refuser(refusal.reason) });
    }
    return undefined;
  }

  /** The refusing component, each in turn. Nothing is drawn, so that seeds are unchanged. */
  #refuser(reason: ApiError['reason']): ApiRefusal | undefined {
    if (reason !== 'Forbidden') return undefined;
    this.#forbidden += 1;
    return FORBIDDING[this.#forbidden % FORBIDDING.length];
  }

  #doomOf({ process, port, method }: ObservedCall): CallVerdict | undefined {
    if (port !== 'store' || (method !== 'commit' && method !== 'holdRelay')) return undefined;
    if (!this.#doomed.delete(process)) return undefined;
    return { type: method === 'commit' ? 'crash-before' : 'crash-after' };
  }

  /** Each kind is drawn separately, so that a run without one kind leaves the others unchanged. */
  #draw(call: ObservedCall): CallVerdict {
    // Calls outside of passes are many, and their faults find little.
    const weight = call.scope === undefined ? 0.5 : 1;
    let verdict = ANSWER;
    for (const kind of CALL_FAULTS) {
      if (this.#rolls(kind, weight) && verdict === ANSWER) verdict = this.#verdict(kind, call);
    }
    return verdict;
  }

  #rolls(kind: FaultKind, weight = 1): boolean {
    const rate = this.#rates[kind];
    return rate !== undefined && (this.#streams.get(kind)?.random() ?? 1) < rate * weight;
  }

  #verdict(kind: (typeof CALL_FAULTS)[number], call: ObservedCall): CallVerdict {
    const { port, method, scope } = call;
    switch (kind) {
      case 'meddle':
        return scope === undefined ? ANSWER : this.#interruption(call);
      case 'crash':
        return { type: this.#pick(2) === 0 ? 'crash-before' : 'crash-after' };
      case 'pause':
        return { type: this.#pick(2) === 0 ? 'pause-before' : 'pause-after', ms: 1_000 + this.#pick(90_000) };
      case 'fail':
        return { type: 'fail', error: failure(port, this.#pick(3)) };
      case 'lose':
        return { type: 'lose', error: port === 'api' ? new ApiError('Timeout', 'no answer') : failure(port, 0) };
      case 'repeat':
        return port === 'store' && CONDITIONAL_WRITES.has(method) ? { type: 'repeat' } : ANSWER;
      case 'delay':
        return { type: 'delay', ms: this.#pick(this.#pick(2) === 0 ? 2_000 : 30_000) };
      case 'throttle':
        return { type: 'fail', error: this.#throttled(port) };
      case 'conflict':
        return port === 'api' && MUTATIONS.has(method)
          ? { type: 'fail', error: new ApiError('Conflict', 'somebody else was faster', { status: 409 }) }
          : ANSWER;
    }
  }

  #interruption(call: ObservedCall): CallVerdict {
    const seed = this.#pick(2 ** 31);
    return { type: 'interrupt', by: () => this.#meddle(seed, call) };
  }

  #throttled(port: string): Error {
    return port === 'api'
      ? new ApiError('TooManyRequests', 'slow down', { status: 429, retryAfterMs: 1_000 * (1 + this.#pick(20)) })
      : failure(port, 0);
  }

  #counts(): boolean {
    const number = this.happened;
    this.happened += 1;
    return !this.#skip.has(number);
  }

  #pick(below: number): number {
    return Math.floor(this.#entropy.random() * below);
  }
}

const CALL_FAULTS = ['meddle', 'crash', 'pause', 'fail', 'lose', 'repeat', 'delay', 'throttle', 'conflict'] as const;

function failure(port: string, which: number): Error {
  if (port === 'store' || port === 'wakes' || /-(events|resync)$/.test(port))
    return new InfrastructureError('no answer');
  if (port !== 'api') return new Error('no answer');
  if (which === 0) return new ApiError('ServerError', 'the server failed', { status: 500 });
  return new ApiError(which === 1 ? 'Timeout' : 'Unreachable', 'no answer');
}
