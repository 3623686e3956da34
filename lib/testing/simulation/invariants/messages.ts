import { changedObjectOf, isRequest, type SkinnyEvent } from '../../../core/event.ts';
import type { Target } from '../../../core/target.ts';
import { cutToCodePoints } from '../../../core/text.ts';
import type { ReceivedMessage } from '../../../ports/queue.ts';
import type { CommitRecord, LeaseHold } from '../../../ports/state-store.ts';
import type { CallOutcome, MessageScope, ObservedCall, SimulatedProcess } from '../process.ts';
import { eventKey, messageKey } from './event-key.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, keyOf, type PassRecord, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** Versions that committed passes have seen, by epoch of the cluster and object. */
interface SeenVersions {
  readonly versions: Map<string, number>;
  /** Versions at which lists of committed passes showed the target itself, by epoch of the cluster. */
  readonly listed: Map<number, number>;
  committedEpoch: number;
  /** The epoch of the last pass that forgot the target. */
  forgottenEpoch: number;
}

/**
 * I12: no message is lost. Each acknowledged message has led to a commit, was already observed by a committed pass, is
 * a mark of the running pass, or went to the dead-letter queue. A pass that lost its target leaves its message to a
 * pass that began later.
 */
export class Messages implements Invariant {
  readonly #report: Report;
  readonly #epochOf: (target: Target) => number | undefined;
  readonly #seen = new Map<string, SeenVersions>();
  readonly #ended = new WeakSet<MessageScope>();
  readonly #passes = new WeakMap<MessageScope, PassRecord>();
  /**
   * The messages that each process may delete: the bodies of messages that it handled, and the ids of those that it
   * sent to the dead-letter queue.
   */
  readonly #done = new WeakMap<SimulatedProcess, Set<string>>();
  readonly #received = new Map<string, ReceivedMessage>();
  duplicates = 0;

  /** @param epochOf the epoch that a target's item has now; undefined when there is none. */
  constructor(report: Report, epochOf: (target: Target) => number | undefined) {
    this.#report = report;
    this.#epochOf = epochOf;
  }

  acquired(pass: PassRecord): void {
    this.#passes.set(pass.scope, pass);
  }

  committed(attempt: Attempt, _record: TargetRecord, commit: CommitRecord, overDirty: boolean): void {
    const { pass, known } = attempt;
    const { observedVersion } = commit;
    // A pass has seen the objects in the cluster epoch of its message. The message of a timer uses the epoch of the
    // item.
    const { event } = pass.scope;
    const incarnation = event.cause === 'due' ? commit.incarnation : event.incarnation;
    // A pass may commit over unseen marks only if it then runs again at once.
    if (overDirty && commit.dueAtMs === undefined)
      this.#report('I12', `${describeTarget(pass.target)} commits over marks and leaves no deadline`);
    const unseen = overDirty ? undefined : pass.marks.find((mark) => !isSeenBy(attempt, mark, incarnation));
    if (unseen !== undefined) {
      const about = `${unseen.cause} of ${(changedObjectOf(unseen) ?? unseen).name} at ${versionTold(unseen)}`;
      this.#report('I12', `${describeTarget(pass.target)} commits over the mark of ${about}, which it has not seen`);
    }
    const seen = this.#seenOf(pass.target);
    seen.committedEpoch = Math.max(seen.committedEpoch, pass.epoch);
    const self = keyOf(pass.target.kind, pass.target);
    for (const [key, { upTo }] of known) {
      if (upTo === undefined || (key === self && observedVersion === undefined)) continue;
      const id = `${incarnation}/${key}`;
      seen.versions.set(id, Math.max(seen.versions.get(id) ?? 0, upTo));
    }
    const { listedTarget } = attempt;
    if (listedTarget !== undefined)
      seen.listed.set(incarnation, Math.max(seen.listed.get(incarnation) ?? 0, listedTarget));
    this.#ended.add(pass.scope);
  }

  deferred(target: Target): void {
    const epoch = this.#epochOf(target);
    if (epoch !== undefined) this.#seenOf(target).committedEpoch = epoch;
  }

  wroteState(call: ObservedCall, hold: LeaseHold): void {
    if (call.method === 'forget') this.#seenOf(hold.target).forgottenEpoch = hold.epoch;
    if (call.scope !== undefined && ['defer', 'forget'].includes(call.method)) this.#ended.add(call.scope);
  }

  marked(call: ObservedCall): void {
    if (call.scope !== undefined) this.#ended.add(call.scope);
  }

  handled(scope: MessageScope, acknowledged: boolean): void {
    if (!acknowledged) return;
    const { event, process } = scope;
    if (!isRequest(event) && !this.#ended.has(scope) && !this.#isLeftToAnother(scope) && !this.#isCovered(event)) {
      const about = `${event.cause} of ${event.kind} ${event.namespace}/${event.name}`;
      this.#report(
        'I12',
        `${process.name} acknowledges ${about} although no pass has committed since, none covers it, and none was told`,
      );
    }
    this.#doneBy(process).add(eventKey(event));
  }

  called(call: ObservedCall, outcome: CallOutcome): void {
    if (!call.port.endsWith('-events') && !call.port.endsWith('-resync')) return;
    if (call.method === 'sendDead' && outcome.ok) {
      this.#doneBy(call.process).add((call.args[0] as { messageId: string }).messageId);
    } else if (call.method === 'receive' && outcome.ok) {
      for (const message of outcome.value as ReceivedMessage[]) {
        if (message.receiveCount > 1) this.duplicates += 1;
        this.#received.set(`${call.port} ${message.receiptHandle}`, message);
      }
    } else if (call.method === 'delete' && outcome.ok) {
      const kept = new Set(outcome.value as string[]);
      for (const handle of call.args[0] as string[]) if (!kept.has(handle)) this.#deleted(call, handle);
    }
  }

  #deleted(call: ObservedCall, handle: string): void {
    const message = this.#received.get(`${call.port} ${handle}`);
    if (message === undefined) return;
    const done = this.#doneBy(call.process);
    if (done.has(message.messageId) || done.has(messageKey(message.body))) return;
    this.#report(
      'I12',
      `${call.process.name} deletes a message that it has not handled: ${cutToCodePoints(message.body, 200)}`,
    );
  }

  /** Whether the pass lost its target to a pass that began later, also when that one has ended since. */
  #isLeftToAnother(scope: MessageScope): boolean {
    const pass = this.#passes.get(scope);
    if (pass === undefined) return false;
    const epoch = this.#epochOf(pass.target);
    return epoch === undefined || epoch > pass.epoch;
  }

  #isCovered(event: SkinnyEvent): boolean {
    const seen = this.#seen.get(targetKey(event));
    if (seen === undefined) return false;
    if (event.cause === 'due') {
      const { epoch: sentAt } = event;
      // A timer is removed with the item. A timer of a target that came back has a later epoch.
      return seen.committedEpoch > sentAt || seen.forgottenEpoch >= sentAt;
    }
    if (event.cause === 'deleted' || event.cause === 'requested' || event.cause === 'resync') return false;
    const changed = changedObjectOf(event);
    if (changed?.deleted === true || changed?.absentAt !== undefined) return false;
    const key = changed === undefined ? keyOf(event.kind, event) : keyOf(changed.kind, changed);
    const told = Number(versionTold(event));
    const isListedTarget = changed !== undefined && key === keyOf(event.kind, event);
    if (isListedTarget && (seen.listed.get(event.incarnation) ?? -1) >= told) return true;
    return (seen.versions.get(`${event.incarnation}/${key}`) ?? -1) >= told;
  }

  #seenOf(target: Target): SeenVersions {
    const key = targetKey(target);
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      seen = { versions: new Map(), listed: new Map(), committedEpoch: -1, forgottenEpoch: -1 };
      this.#seen.set(key, seen);
    }
    return seen;
  }

  #doneBy(process: SimulatedProcess): Set<string> {
    let done = this.#done.get(process);
    if (done === undefined) {
      done = new Set();
      this.#done.set(process, done);
    }
    return done;
  }
}

/**
 * Whether an attempt has seen the change that an event reports. If the change has no version, this cannot be decided.
 */
function isSeenBy({ known, pass }: Attempt, event: SkinnyEvent, incarnation: number): boolean {
  const { cause } = event;
  const changed = changedObjectOf(event);
  if (event.incarnation !== incarnation || !['created', 'updated', 'dependency'].includes(cause)) return false;
  if (changed?.deleted === true) return false;
  const key = changed === undefined ? keyOf(pass.target.kind, pass.target) : keyOf(changed.kind, changed);
  return (known.get(key)?.upTo ?? -1) >= Number(versionTold(event));
}

/** The version of the target, or of the object that changed. */
function versionTold(event: SkinnyEvent): string | undefined {
  if (event.cause === 'dependency') return event.changed.resourceVersion;
  return event.cause === 'created' || event.cause === 'updated' ? event.resourceVersion : undefined;
}
