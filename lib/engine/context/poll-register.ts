import type { ObjectName } from '../../core/kube-object.ts';
import { type ObjectKey, objectKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeaseHold, PollKey, PollStore, TargetState } from '../../ports/state-store.ts';
import type { ReadTracker } from './read-tracker.ts';

/** The shortest interval, and the default. */
const MIN_POLL_INTERVAL_MS = 30_000;

export interface PollRegisterOptions {
  readonly controller: { readonly group: string };
  readonly store: PollStore;
  readonly hold: LeaseHold;
  readonly last: TargetState;
  /** The incarnation with which this pass will commit. */
  readonly incarnation: number;
  readonly clock: Clock;
}

/** The polled objects of one attempt. */
export class PollRegister {
  readonly #options: PollRegisterOptions;
  readonly #polls = new Map<ObjectKey, { readonly poll: PollKey; readonly intervalMs: number }>();

  constructor(options: PollRegisterOptions) {
    this.#options = options;
  }

  add(kind: KindId, name: ObjectName, intervalMs = MIN_POLL_INTERVAL_MS): void {
    const { controller, hold } = this.#options;
    const poll: PollKey = { cluster: hold.target.cluster, group: controller.group, kind, ...name };
    this.#polls.set(objectKey(kind, name), { poll, intervalMs: Math.max(intervalMs, MIN_POLL_INTERVAL_MS) });
  }

  /** Undefined for an object that was not added. */
  intervalMs(kind: KindId, name: ObjectName): number | undefined {
    return this.#polls.get(objectKey(kind, name))?.intervalMs;
  }

  /** Resets the known version of a poll, when the object has another version than the last pass recorded. */
  async touch(reads: ReadTracker): Promise<void> {
    const { store, last, incarnation, clock } = this.#options;
    for (const [key, { poll, intervalMs }] of this.#polls) {
      const version = reads.recorded(key);
      const before = last.incarnation === incarnation ? last.versions[key] : undefined;
      if (version === undefined || version !== before) await store.touchPoll(poll, clock.now(), intervalMs);
    }
  }
}
