import { NEAR_DEADLINE_MS } from '../../core/deadline.ts';
import type { Bucket } from '../../core/rate-limit.ts';
import { elapsedMs } from '../../ports/clock.ts';
import type { LastOutcomeType, TargetState } from '../../ports/state-store.ts';
import type { GateVerdict } from '../breaker/cluster-gate.ts';
import { crashPutOff } from './crash-put-off.ts';
import {
  type Ended,
  isCommittedBy,
  lost,
  type Pass,
  type PassDependencies,
  type PassOptions,
  passDimensions,
} from './pass.ts';
import { wakeTarget } from './wake-target.ts';

/** Why a pass does not run now, and until when. */
export interface PutOff {
  readonly dueAtMs: number;
  readonly type: LastOutcomeType;
  readonly message: string;
  /** When absent, the recorded one stays. */
  readonly bucket?: Bucket;
}

const CLOSED_GATE = {
  ClusterPaused: { type: 'clusterPaused', message: 'the cluster is paused' },
  ClusterThrottled: { type: 'clusterThrottled', message: 'the cluster throttles requests' },
  ClusterUnreachable: { type: 'clusterUnreachable', message: 'the cluster does not answer' },
  AnotherDeployment: { type: 'anotherDeployment', message: 'another deployment drives the cluster' },
} as const satisfies Record<
  Extract<GateVerdict, { open: false }>['reason'],
  { readonly type: LastOutcomeType; readonly message: string }
>;

/** Whether an acquired pass must wait: for its own crashes, or for its cluster. */
export async function putOffOf(
  deps: PassDependencies,
  options: PassOptions,
  pass: Pass,
  acquired: TargetState,
): Promise<PutOff | undefined> {
  if (pass.crashes >= options.crashBound) return crashLoop(deps, options, pass);
  const crashing = crashPutOff(pass.event, acquired, options, deps.clock.now());
  if (crashing !== undefined) return crashing;
  const verdict = await deps.gate.check(pass.target.cluster);
  if (verdict.open) return undefined;
  const { type, message } = CLOSED_GATE[verdict.reason];
  return { dueAtMs: verdict.untilMs, type, message: verdict.detail ?? message };
}

function crashLoop(deps: PassDependencies, options: PassOptions, pass: Pass): PutOff {
  const { kind, namespace, name } = pass.target;
  const { crashes } = pass;
  deps.metrics.record('NeedsPerson', 1, { ...passDimensions(pass), Reason: 'CrashLoop' });
  deps.logger.warn('passes of this object end again and again without a commit: a person must look at it', {
    kind,
    namespace,
    name,
    crashes,
  });
  const message = `${crashes} passes in a row ended without a commit; the next one starts after the longest backoff`;
  return { dueAtMs: deps.clock.now() + options.backoff.capMs, type: 'crashing', message };
}

/** Puts off the pass: first the timer, then its wake, then the acknowledgement. */
export async function defer(deps: PassDependencies, pass: Pass, state: TargetState, putOff: PutOff): Promise<Ended> {
  const { store, clock } = deps;
  const { dueAtMs, type, message, bucket = state.bucket } = putOff;
  const { cause } = pass.event;
  const atMs = clock.now();
  const reason = type.charAt(0).toUpperCase() + type.slice(1);
  const durationMs = elapsedMs(clock, pass.startedMonotonicMs);
  const lastOutcome = { type, reason, message, atMs, durationMs, cause };
  // An unchanged timer has had its wake, or gets it from the sweep.
  const isKept = dueAtMs === state.dueAtMs && cause !== 'due';
  const dueSetAtMs = isKept ? (state.dueSetAtMs ?? atMs) : atMs;
  const isNear = dueAtMs - atMs <= NEAR_DEADLINE_MS;
  const wakeSent = isKept ? state.wakeSent : isNear;
  const record = { dueAtMs, dueSetAtMs, wakeSent, lastOutcome, ...(bucket === undefined ? {} : { bucket }) };
  const deferred = (await store.defer(pass.hold, record)) || isCommittedBy(pass, await store.readTarget(pass.target));
  if (!deferred) return lost(deps, pass);
  if (isNear && !isKept) await wakeTarget(deps, pass, { dueAtMs, dueSetAtMs: atMs });
  return { end: 'deferred', outcome: type, reason, message, dueAtMs, failures: state.failures };
}
