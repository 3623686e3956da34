import type { LeaseTimings } from '../../../core/lease.ts';
import type { LeaseHold } from '../../../ports/state-store.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type PassRecord, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

const MUTATIONS = new Set(['create', 'patch', 'delete']);
/** Kinds that only report what happened. No decision depends on them. */
const UNFENCED_KINDS = new Set(['events.events.k8s.io']);

/**
 * I1: no two passes of a target hold a valid lease at the same time, and a pass that lost its lease commits and changes
 * nothing.
 */
export class Leases implements Invariant {
  readonly #report: Report;
  readonly #timings: LeaseTimings;
  readonly #epochs = new Map<string, number>();
  readonly #holderOf: (hold: LeaseHold) => PassRecord | undefined;
  readonly #olderTables: () => number;
  /** The number of the table that the epochs belong to. */
  #table = 0;

  /**
   * @param holderOf the pass that holds a target now.
   * @param olderTables how often an older table was put in place, which repeats its epochs.
   */
  constructor(
    report: Report,
    timings: LeaseTimings,
    holderOf: (hold: LeaseHold) => PassRecord | undefined,
    olderTables: () => number,
  ) {
    this.#olderTables = olderTables;
    this.#report = report;
    this.#timings = timings;
    this.#holderOf = holderOf;
  }

  acquired(pass: PassRecord, _record: TargetRecord, displaced: PassRecord | undefined): void {
    const { leaseMs, clockSkewMs } = this.#timings;
    if (displaced !== undefined && pass.startedAtMs < displaced.untilMs - clockSkewMs) {
      const earlyMs = displaced.untilMs - pass.startedAtMs;
      this.#report(
        'I1',
        `${describeTarget(pass.target)} was taken from ${displaced.scope.process.name} ${earlyMs} ms early`,
      );
    }
    // The lease may be shorter: a process that was paused before it reached the table gets only the rest of it.
    if (pass.untilMs - pass.startedAtMs > leaseMs + clockSkewMs) {
      this.#report('I1', `${describeTarget(pass.target)} was leased for ${pass.untilMs - pass.startedAtMs} ms`);
    }
    if (this.#table !== this.#olderTables()) this.#epochs.clear();
    this.#table = this.#olderTables();
    // This also applies to a target that was forgotten in between, because its holder may still be frozen.
    const key = targetKey(pass.target);
    const highest = this.#epochs.get(key) ?? 0;
    if (pass.epoch <= highest) {
      this.#report('I1', `${describeTarget(pass.target)} was acquired with epoch ${pass.epoch} after ${highest}`);
    }
    this.#epochs.set(key, Math.max(highest, pass.epoch));
  }

  wroteState(call: ObservedCall, hold: LeaseHold): void {
    const holder = this.#holderOf(hold);
    if (holder?.scope === call.scope && holder?.epoch === hold.epoch) return;
    this.#report(
      'I1',
      `${call.process.name} wrote ${call.method} of ${describeTarget(hold.target)} without holding it`,
    );
  }

  calling({ method, args, issuedAtMs, process }: ObservedCall, { pass }: Attempt): void {
    if (!MUTATIONS.has(method)) return;
    const { plural, group } = args[0] as { plural: string; group: string };
    if (UNFENCED_KINDS.has(`${plural}.${group}`)) return;
    // After this time the lease has expired for every process, with any clock in the tolerated skew.
    const heldMs = issuedAtMs - pass.startedAtMs;
    if (heldMs > this.#timings.leaseMs) {
      this.#report('I1', `${process.name} sent a ${method} of ${plural} ${heldMs} ms after its lease began`);
      return;
    }
    const leftMs = pass.untilMs - issuedAtMs;
    if (leftMs < this.#timings.mutationMarginMs) {
      this.#report('I1', `${process.name} sent a ${method} of ${plural} with ${leftMs} ms of its lease left`);
    }
  }
}
