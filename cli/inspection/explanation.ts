import { DEFAULT_LEASE_TIMINGS, isLeaseExpired, type LeaseTerms } from '../../lib/core/lease.ts';
import { ABSENT_VERSION, parseObjectKey } from '../../lib/core/observation.ts';
import type { DurableValues } from '../../lib/core/reconcile-context.ts';
import type { KindId } from '../../lib/core/resource-type.ts';
import { isBreakerOpen } from '../../lib/engine/breaker/is-breaker-open.ts';
import type { Checkpoint, ClusterState, LastOutcome, PollState, TargetState } from '../../lib/ports/state-store.ts';
import { type ExplainedPass, explainedPasses } from './explained-pass.ts';
import type { Inspection } from './inspection.ts';

/**
 * Everything that is known about one object, in a form for people. Times are epoch ms, or RFC 3339 when the name says
 * so.
 */
export interface Explanation {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly state: TargetActivity;
  readonly lease?: { readonly owner: string; readonly until: string; readonly ended: boolean };
  readonly epoch: number;
  readonly committedEpoch: number;
  /** Passes since the last commit that ended without a commit. */
  readonly unfinishedPasses: number;
  readonly lastOutcome?: Omit<LastOutcome, 'atMs'> & { readonly at: string };
  readonly observed?: { readonly incarnation: number; readonly version?: number; readonly generation?: number };
  readonly reads: readonly ReadObject[];
  readonly next?: { readonly at: string; readonly why: string; readonly wakeSent: boolean };
  readonly failures: number;
  /** Events that arrived during a pass and were not handled yet. */
  readonly marks: readonly string[];
  /** Durable values that the controller lists as `shownValues`. */
  readonly values: DurableValues;
  /** Names of the other durable values, sorted. Their contents may be secret and are not shown (R-1.24). */
  readonly hiddenValues: readonly string[];
  readonly reconcilerVersion?: string;
  /** A new version of its controller was stopped. */
  readonly stoppedRollout?: {
    readonly version: string;
    readonly reason: string;
    readonly message: string;
    readonly at: string;
  };
  /** The last passes, the newest first. */
  readonly passes: readonly ExplainedPass[];
  /** What the object waits for while it is being deleted. */
  readonly deletion?: { readonly reason: string; readonly message: string };
  readonly clusterState: {
    readonly incarnation: number;
    readonly paused: boolean;
    /** Who paused or resumed it last. */
    readonly pauseNote?: { readonly by: string; readonly at: string };
    /** The deployment that drives its kind, from the Lease in the cluster. */
    readonly drivenBy?: string;
    readonly unreachableUntil?: string;
    readonly relay?: { readonly owner: string; readonly until: string };
    /** The last sign of life of this kind's watch. */
    readonly watch?: { readonly version: string; readonly heardAt: string };
  };
}

/** `terminating`: the object is being deleted and still exists; no pass runs. */
export type TargetActivity = 'idle' | 'terminating' | 'running' | 'died' | 'never-finished';

export interface ReadObject {
  readonly kind: string;
  readonly namespace: string;
  /** `*` for a list. */
  readonly name: string;
  /** `absent`, or the version that was seen last; undefined when none is recorded (a list, or too many objects). */
  readonly version?: number | 'absent';
  /** The next read of an object that is polled. */
  readonly nextPoll?: string;
}

export interface ExplanationSource {
  readonly target: TargetState;
  readonly cluster: ClusterState;
  readonly checkpoint: Checkpoint | undefined;
  /** By the object's key. */
  readonly polls: ReadonlyMap<string, PollState>;
  /** Names of durable values that may be shown. */
  readonly shownValues: readonly string[];
  /** The name of the kind's controller, if it is installed. */
  readonly controller?: string | undefined;
  readonly drivenBy?: string | undefined;
  readonly nowMs: number;
  readonly settings: Inspection['settings'];
}

export function explain({
  target,
  cluster,
  checkpoint,
  polls,
  shownValues,
  controller,
  drivenBy,
  nowMs,
  settings,
}: ExplanationSource): Explanation {
  const { lease, lastOutcome, dueAtMs } = target;
  const unfinished = target.epoch - target.committedEpoch - (lease === undefined ? 0 : 1);
  return {
    cluster: target.target.cluster,
    kind: target.target.kind,
    namespace: target.target.namespace,
    name: target.target.name,
    uid: target.target.uid,
    state: activity(target, nowMs, settings.timings),
    ...(lease && {
      lease: {
        owner: lease.owner,
        until: rfc3339(lease.untilMs),
        ended: isLeaseExpired(lease.untilMs, nowMs, settings.timings),
      },
    }),
    epoch: target.epoch,
    committedEpoch: target.committedEpoch,
    unfinishedPasses: Math.max(0, unfinished),
    ...(lastOutcome && { lastOutcome: withoutTime(lastOutcome) }),
    ...(target.incarnation !== undefined && {
      observed: {
        incarnation: target.incarnation,
        ...(target.observedVersion !== undefined && { version: target.observedVersion }),
        ...(target.observedGeneration !== undefined && { generation: target.observedGeneration }),
      },
    }),
    reads: readObjects(target, polls),
    ...(dueAtMs !== undefined && {
      next: { at: rfc3339(dueAtMs), why: whyDue(target, settings.intervals.targetResyncMs), wakeSent: target.wakeSent },
    }),
    failures: target.failures,
    marks: target.dirty,
    ...splitValues(target.values, shownValues),
    ...(target.reconcilerVersion !== undefined && { reconcilerVersion: target.reconcilerVersion }),
    passes: explainedPasses(target.pastPasses, controller),
    ...(lastOutcome?.terminating === true && {
      deletion: { reason: lastOutcome.reason, message: lastOutcome.message },
    }),
    ...stoppedRollout(cluster, target.target.kind),
    clusterState: clusterPart(cluster, checkpoint, drivenBy, nowMs, settings.paused),
  };
}

function stoppedRollout({ halts }: ClusterState, kind: KindId): Pick<Explanation, 'stoppedRollout'> {
  const halt = halts?.[kind];
  if (halt === undefined) return {};
  const { version, reason, message, atMs } = halt;
  return { stoppedRollout: { version, reason, message, at: rfc3339(atMs) } };
}

function clusterPart(
  cluster: ClusterState,
  checkpoint: Checkpoint | undefined,
  drivenBy: string | undefined,
  nowMs: number,
  isDeploymentPaused: boolean,
): Explanation['clusterState'] {
  const { breakerOpenUntilMs, pauseNote, relay } = cluster;
  return {
    incarnation: cluster.incarnation,
    paused: cluster.paused || isDeploymentPaused,
    ...(pauseNote && { pauseNote: { by: pauseNote.by, at: rfc3339(pauseNote.atMs) } }),
    ...(drivenBy !== undefined && { drivenBy }),
    ...(breakerOpenUntilMs !== undefined &&
      isBreakerOpen(breakerOpenUntilMs, nowMs) && { unreachableUntil: rfc3339(breakerOpenUntilMs) }),
    ...(relay && { relay: { owner: relay.owner, until: rfc3339(relay.untilMs) } }),
    ...(checkpoint && { watch: { version: checkpoint.resourceVersion, heardAt: rfc3339(checkpoint.heartbeatMs) } }),
  };
}

/**
 * Whether a person should look at an object: it fails, its passes crash, or it ended in a state that no retry changes.
 * A condition that is not True is not a failure. An object that another deployment drives does not count, because its
 * item shows old failures.
 */
export function isFailing(target: TargetState, nowMs: number, terms: LeaseTerms = DEFAULT_LEASE_TIMINGS): boolean {
  const type = target.lastOutcome?.type;
  if (type === 'anotherDeployment') return false;
  return (
    target.failures > 0 ||
    type === 'retry' ||
    type === 'terminal' ||
    type === 'crashing' ||
    activity(target, nowMs, terms) === 'died'
  );
}

export function activity(
  { lease, epoch, committedEpoch, lastOutcome }: TargetState,
  nowMs: number,
  terms: LeaseTerms,
): TargetActivity {
  if (lease !== undefined) return isLeaseExpired(lease.untilMs, nowMs, terms) ? 'died' : 'running';
  if (lastOutcome === undefined) return 'never-finished';
  if (epoch !== committedEpoch) return 'died';
  return lastOutcome.terminating === true || lastOutcome.type === 'deleting' ? 'terminating' : 'idle';
}

/**
 * The reason of a target's timer, as far as its item shows it.
 * @param targetResyncMs from the settings; 0 when it is off.
 */
export function whyDue({ lease, lastOutcome, failures, dueAtMs = 0 }: TargetState, targetResyncMs: number): string {
  if (lease !== undefined) return 'an event came during a pass, or the pass died';
  switch (lastOutcome?.type) {
    case 'retry':
      return `backoff after ${failures === 1 ? '1 failure' : `${failures} failures in a row`}`;
    case 'checkAt':
      // A resync timer is never due in the first half of its interval.
      if (targetResyncMs === 0 || dueAtMs - lastOutcome.atMs <= targetResyncMs / 2)
        return 'the controller asked for it';
      return 'the controller asked for it, or its resync timer if that is earlier';
    case 'crashing':
      return 'its passes crash; it is tried again after the longest backoff';
    case 'rateLimited':
      return 'its rate limit allows the next pass then';
    case 'clusterPaused':
      return 'the cluster is paused; it is checked again then';
    case 'anotherDeployment':
      return 'another deployment drives the cluster, or did until then';
    case 'clusterUnreachable':
      return 'the cluster did not answer; it is tried again then';
    case 'clusterThrottled':
      return 'the cluster throttles until then';
    default:
      return 'its resync timer';
  }
}

function readObjects({ edges, versions }: TargetState, polls: ReadonlyMap<string, PollState>): ReadObject[] {
  const keys = [...new Set([...edges, ...Object.keys(versions)])].sort();
  return keys.map((key) => {
    const version = versions[key];
    const poll = polls.get(key);
    return {
      ...parseObjectKey(key),
      ...(version !== undefined && { version: version === ABSENT_VERSION ? ('absent' as const) : version }),
      ...(poll && { nextPoll: rfc3339(poll.dueAtMs) }),
    };
  });
}

function splitValues(all: DurableValues, shown: readonly string[]): Pick<Explanation, 'values' | 'hiddenValues'> {
  const values = Object.fromEntries(Object.entries(all).filter(([name]) => shown.includes(name)));
  const hiddenValues = Object.keys(all).filter((name) => !shown.includes(name));
  return { values, hiddenValues: hiddenValues.sort() };
}

function withoutTime({ atMs, ...rest }: LastOutcome): Omit<LastOutcome, 'atMs'> & { at: string } {
  return { ...rest, at: rfc3339(atMs) };
}

export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
