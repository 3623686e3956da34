import { changedObjectOf, type SkinnyEvent } from '../../../core/event.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import { MAX_SKEW_MS } from '../faults/disturbances.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget, keyOf, type PassRecord, type TargetRecord } from './pass-record.ts';
import type { UndoneWrites } from './undone-writes.ts';
import type { Report } from './violation.ts';

/** A write that a timer caused may cause other writes for this long. */
const RIPPLES_MS = 120_000;

/** A pass with an unseen pending mark runs again at once; no resync interval is so short. */
const SHORTEST_RESYNC_MS = 60_000;

/**
 * I5: once all has converged, nothing is written until something changes or a timer is due. This requires that an event
 * costs no pass when a committed pass has read or written its version.
 */
export class Silence implements Invariant {
  readonly #report: Report;
  readonly #now: () => number;
  #silent = false;
  #excusedUntilMs = 0;
  /** Passes that the target's own resync timer started: they read, and change nothing. */
  readonly #resyncs = new WeakSet<PassRecord>();
  /** Passes that began when the target's timer was due, with any cause. */
  readonly #due = new WeakSet<PassRecord>();

  readonly #undone: UndoneWrites;

  constructor(report: Report, now: () => number, undone: UndoneWrites) {
    this.#report = report;
    this.#now = now;
    this.#undone = undone;
  }

  /** Nobody changes anything after this call. */
  begin(): void {
    this.#silent = true;
  }

  end(): void {
    this.#silent = false;
  }

  unanswered(call: ObservedCall): void {
    this.#undone.unanswered(call);
  }

  committed(attempt: Attempt, _: TargetRecord, commit: CommitRecord): void {
    this.#undone.committed(attempt, commit);
  }

  wrote(write: ObjectWrite, attempt: Attempt | undefined): void {
    const { call, kind, namespace, name, before, after } = write;
    const changesNothing = before !== undefined && isSame(before, after);
    if (attempt !== undefined && changesNothing && !this.#undone.excuses(write, attempt)) {
      this.#report('I5', `${describeTarget(attempt.pass.target)}: a ${call.method} of ${kind} ${name} changes nothing`);
    }
    // The relay's own Lease is renewed at a slow fixed rate.
    if (!this.#silent || kind === 'leases.coordination.k8s.io') return;
    if (attempt !== undefined && this.#isDue(attempt.pass)) this.#excusedUntilMs = this.#now() + RIPPLES_MS;
    else if (this.#now() > this.#excusedUntilMs) {
      this.#report(
        'I5',
        `${call.process.name} writes ${call.method} of ${kind} ${namespace}/${name}, and nothing had changed`,
      );
    }
  }

  acquired(pass: PassRecord, { lastCommit }: TargetRecord): void {
    const { event } = pass.scope;
    if (lastCommit !== undefined && isResync(event, lastCommit.record)) this.#resyncs.add(pass);
    if (lastCommit !== undefined && hasCome(lastCommit.record, this.#now())) this.#due.add(pass);
    if (lastCommit === undefined || lastCommit.record.incarnation !== event.incarnation) return;
    const seen = knownVersion(lastCommit, pass);
    const told = toldVersion(pass);
    if (seen === undefined || told === undefined || seen < told) return;
    this.#report(
      'I5',
      `${describeTarget(pass.target)} gets a pass for version ${told} of what its last pass knew at ${seen} (${event.cause})`,
    );
  }

  #isDue(pass: PassRecord): boolean {
    return this.#due.has(pass) || (pass.scope.event.cause === 'due' && !this.#resyncs.has(pass));
  }
}

/** Another event may arrive just before the event of the timer, when the timer is due by one of the clocks. */
function hasCome({ dueAtMs, lastOutcome }: CommitRecord, nowMs: number): boolean {
  return lastOutcome.type === 'checkAt' && dueAtMs !== undefined && dueAtMs <= nowMs + MAX_SKEW_MS;
}

/** Whether the timer only has the resync interval: its pass waited for nothing. */
function isResync(event: SkinnyEvent, { dueAtMs, lastOutcome }: CommitRecord): boolean {
  if (event.cause !== 'due' || dueAtMs === undefined || event.dueAt !== dueAtMs) return false;
  return ['settled', 'terminal'].includes(lastOutcome.type) && dueAtMs - lastOutcome.atMs > SHORTEST_RESYNC_MS;
}

function toldVersion({ scope: { event } }: PassRecord): number | undefined {
  switch (event.cause) {
    case 'created':
    case 'updated':
      return Number(event.resourceVersion);
    case 'dependency':
      return event.changed.resourceVersion === undefined || event.changed.deleted === true
        ? undefined
        : Number(event.changed.resourceVersion);
    default:
      return undefined;
  }
}

function knownVersion(
  { attempt, record }: { attempt: Attempt; record: CommitRecord },
  { target, scope: { event } }: PassRecord,
): number | undefined {
  const changed = changedObjectOf(event);
  const key = changed === undefined ? keyOf(target.kind, target) : keyOf(changed.kind, changed);
  // A pass that could not load its target has no version to compare with.
  if (changed === undefined && record.observedVersion === undefined) return undefined;
  return attempt.lacked.has(key) ? undefined : attempt.known.get(key)?.upTo;
}

function isSame(before: KubeObject, after: KubeObject | undefined): boolean {
  return before.metadata.resourceVersion === after?.metadata.resourceVersion;
}
