import type { CommitRecord } from '../../../ports/state-store.ts';
import type { ControllerEnd } from '../faults/wrong-results.ts';
import { type CallOutcome, isEventScope, type MessageScope, type ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type PassRecord, type TargetRecord } from './pass-record.ts';
import type { Report } from './violation.ts';

/** A pass that ends within this time still holds its lease, by every clock. */
const PROMPT_MS = 15_000;

/**
 * I8, for the results of controllers: an invalid result counts as a failure, and the commit releases the lease
 * (R-1.27).
 */
export class WrongResultsCount implements Invariant {
  readonly #report: Report;
  readonly #now: () => number;
  readonly #holderOf: (target: { kind: string; uid: string }) => PassRecord | undefined;
  /** The description of an invalid result, when the last call of a controller for a pass ended with one. */
  readonly #wrong = new WeakMap<PassRecord, string>();
  /** Messages with calls that failed since then: the pass may have ended because of that. */
  readonly #failed = new WeakSet<MessageScope>();

  /** @param holderOf the pass that holds a target now. */
  constructor(
    report: Report,
    now: () => number,
    holderOf: (target: { kind: string; uid: string }) => PassRecord | undefined,
  ) {
    this.#report = report;
    this.#now = now;
    this.#holderOf = holderOf;
  }

  /** Call this when a controller's function has returned or thrown. */
  ended({ process, kind, uid, wrong }: ControllerEnd): void {
    const pass = this.#holderOf({ kind, uid });
    if (pass === undefined || pass.scope.process !== process) return;
    this.#wrong.delete(pass);
    this.#failed.delete(pass.scope);
    if (wrong !== undefined) this.#wrong.set(pass, wrong);
  }

  committed({ pass }: Attempt, _record: TargetRecord, { lastOutcome }: CommitRecord): void {
    const wrong = this.#wrong.get(pass);
    this.#wrong.delete(pass);
    if (wrong === undefined || lastOutcome.type === 'retry') return;
    this.#report('I8', `${describeTarget(pass.target)} commits '${lastOutcome.type}', and its controller ${wrong}`);
  }

  called({ scope }: ObservedCall, { ok }: CallOutcome): void {
    if (!ok && scope !== undefined) this.#failed.add(scope);
  }

  unanswered({ scope }: ObservedCall): void {
    if (scope !== undefined) this.#failed.add(scope);
  }

  handled(scope: MessageScope, acknowledged: boolean): void {
    if (!isEventScope(scope)) return;
    const { event, process } = scope;
    const pass = this.#holderOf(event);
    if (acknowledged || pass?.scope !== scope || this.#failed.has(scope) || !process.alive) return;
    const wrong = this.#wrong.get(pass);
    // A pass that was frozen for a long time has lost its lease, or is about to lose it.
    if (wrong === undefined || this.#now() - pass.startedAtMs > PROMPT_MS) return;
    this.#report('I8', `${describeTarget(pass.target)} keeps its lease and has no commit: its controller ${wrong}`);
  }
}
