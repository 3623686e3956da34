import type { BackoffPolicy } from '../../core/backoff.ts';
import type { Controller } from '../../core/controller.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import type { InstallationScope } from '../../core/installation.ts';
import type { LeaseTimings } from '../../core/lease.ts';
import type { DirtyMark } from '../../core/observation.ts';
import type { PassWrite } from '../../core/pass-history.ts';
import type { RateLimit } from '../../core/rate-limit.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Rollout } from '../../core/rollout.ts';
import type { Target } from '../../core/target.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue } from '../../ports/queue.ts';
import type { LeaseHold, StateStore, TargetState } from '../../ports/state-store.ts';
import type { StrayErrors } from '../../ports/stray-errors.ts';
import { AuthorCode } from '../author/author-code.ts';
import type { AuthorError } from '../author/author-error.ts';
import type { Gate } from '../breaker/cluster-gate.ts';
import type { Clusters } from '../clusters.ts';
import type { Transition } from '../kube-events/event-note.ts';
import type { EventRecorder } from '../kube-events/event-recorder.ts';
import type { Registry } from '../registry.ts';
import type { PassReport } from './pass-report.ts';

export interface PassOptions {
  readonly timings: LeaseTimings;
  readonly backoff: BackoffPolicy;
  readonly rateLimit: RateLimit;
  /** Undefined turns off each target's own resync timer. */
  readonly targetResyncMs: number | undefined;
  /**
   * After this number of passes in a row without a commit, a target waits for the longest backoff. Less than the
   * queue's maxReceiveCount.
   */
  readonly crashBound: number;
  readonly scope: InstallationScope;
}

export interface PassDependencies {
  readonly registry: Registry;
  readonly clusters: Clusters;
  readonly store: StateStore;
  readonly wakes: Pick<DelayQueue, 'sendDelayed'>;
  readonly gate: Gate;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The name of this worker in leases. */
  readonly owner: string;
  /** Default: the process handles an uncaught error of an author's code. */
  readonly strays?: StrayErrors;
  readonly onPass?: (report: PassReport) => void;
  /** Called with each error of a controller's code, before its pass is reported. */
  readonly onAuthorError?: (error: AuthorError) => void;
}

/** Everything known of one acquired pass. */
export interface Pass {
  readonly event: SkinnyEvent;
  /**
   * With the address in the item, never the address in the event. A further attempt may find another address.
   */
  target: Target;
  readonly controller: Controller;
  /** Set if `controller` is the new version of a rollout. */
  readonly rollout?: Rollout;
  /** Whether the new version takes over the object in this pass. */
  readonly takesOver: boolean;
  readonly api: ClusterApi;
  hold: LeaseHold;
  /** The incarnation of its commit: the one of its message, never one that was read later. */
  readonly incarnation: number;
  /** Epoch ms, for people and metrics. */
  readonly startedAtMs: number;
  /** On this process's monotonic clock. Its limits count from this time. */
  readonly startedMonotonicMs: number;
  /** The number of earlier passes that started and did not commit. */
  readonly crashes: number;
  readonly passId: string;
  attempts: number;
  writes: number;
  /** The first of these writes, for the object's history. */
  readonly written: PassWrite[];
  /** The pending marks for which it made further attempts. */
  readonly marks: DirtyMark[];
  /** The transitions of its attempts. They are sent after the commit. */
  readonly transitions: Transition[];
}

/** How a message ended, before it is reported. */
export type Ended = Pick<PassReport, 'end'> &
  Partial<Pick<PassReport, 'outcome' | 'reason' | 'message' | 'dueAtMs' | 'failures' | 'condition'>>;

/** The result of a step: the message ended, or another attempt starts from this state. */
export type Next =
  | { readonly type: 'ended'; readonly ended: Ended }
  | { readonly type: 'again'; readonly state: TargetState };

export function ended(what: Ended): Next {
  return { type: 'ended', ended: what };
}

export function passDimensions(pass: Pick<Pass, 'controller' | 'target'>): { Group: string; Kind: KindId } {
  return { Group: pass.controller.group, Kind: pass.target.kind };
}

/** The controller of a pass, wrapped so that calling it is safe. */
export function authorCode({ strays, logger, metrics, onAuthorError }: PassDependencies, pass: Pass): AuthorCode {
  const { controller, target, passId } = pass;
  const { kind, namespace, name } = target;
  const named = logger.with({ passId, kind, namespace, name });
  const onError = (what: string, error: unknown) => onAuthorError?.({ controller, target, passId, what, error });
  return new AuthorCode({ controller, strays, logger: named, metrics, onError });
}

/** The pass does not hold its target any more: its result is dropped, because the holder reads later. */
export function lost(deps: PassDependencies, pass: Pass): Ended {
  deps.metrics.record('LeaseLost', 1, passDimensions(pass));
  return { end: 'lost' };
}

/** Whether the item is as this pass's own successful write left it: no lease, and the epoch is ours and committed. */
export function isCommittedBy(pass: Pass, found: TargetState | undefined): boolean {
  return found?.epoch === pass.hold.epoch && found.lease === undefined && found.committedEpoch === pass.hold.epoch;
}

/** Whether this pass still has the lease. */
export function isHeldBy(pass: Pass, found: TargetState): boolean {
  return found.epoch === pass.hold.epoch && found.lease?.owner === pass.hold.owner;
}
