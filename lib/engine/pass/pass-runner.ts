import { DEFAULT_BACKOFF } from '../../core/backoff.ts';
import type { SetDeadline } from '../../core/deadline.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import { type LabelSelector, parseLabelSelector } from '../../core/label-selector.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../core/lease.ts';
import { type EdgeKey, listKey, objectKey } from '../../core/observation.ts';
import { type Bucket, DEFAULT_RATE_LIMIT, takeToken } from '../../core/rate-limit.ts';
import type { Target } from '../../core/target.ts';
import { elapsedMs } from '../../ports/clock.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { CommitRecord, LastOutcome, LastOutcomeType, TargetState } from '../../ports/state-store.ts';
import type { GateVerdict } from '../breaker/cluster-gate.ts';
import { sendWake } from '../wake/send-wake.ts';
import { acquireLease } from './acquire.ts';
import type { AttemptResult } from './attempt.ts';
import { buildRecord, NEAR_DEADLINE_MS, needsWake } from './build-record.ts';
import { commitAttempt, startAgain } from './commit.ts';
import { crashPutOff } from './crash-put-off.ts';
import { mainCondition } from './main-condition.ts';
import { isHashed, namedEvent } from './named-event.ts';
import { nextDeadline } from './next-deadline.ts';
import {
  authorCode,
  type Ended,
  ended,
  isCommittedBy,
  isHeldBy,
  lost,
  type Next,
  type Pass,
  type PassDependencies,
  type PassOptions,
  passDimensions,
} from './pass.ts';
import type { PassReport } from './pass-report.ts';
import { reconcileOnce } from './reconcile-once.ts';
import { measurePass, passReport } from './report.ts';
import { tellTransitions } from './tell-transitions.ts';

export const DEFAULT_PASS_OPTIONS: PassOptions = {
  timings: DEFAULT_LEASE_TIMINGS,
  backoff: DEFAULT_BACKOFF,
  rateLimit: DEFAULT_RATE_LIMIT,
  targetResyncMs: 6 * 3_600_000,
  crashBound: 4,
  scope: {},
};

/** Far longer than any request can be under way, or a worker frozen, or a clock set back. */
const FORGOTTEN_KEPT_MS = 3_600_000;

const CLOSED_GATE = {
  ClusterPaused: { type: 'clusterPaused', message: 'the cluster is paused' },
  ClusterThrottled: { type: 'clusterThrottled', message: 'the cluster asks for patience' },
  ClusterUnreachable: { type: 'clusterUnreachable', message: 'the cluster does not answer' },
  AnotherDeployment: { type: 'anotherDeployment', message: 'another deployment drives the cluster' },
} as const satisfies Record<
  Extract<GateVerdict, { open: false }>['reason'],
  { readonly type: LastOutcomeType; readonly message: string }
>;

/**
 * Handles one event of one target: acquire, load live, reconcile, publish, commit (docs/architecture.md, "One pass").
 * Resolves when the message may be acknowledged; rejects with InfrastructureError when it must be delivered again.
 */
export class PassRunner {
  readonly #deps: PassDependencies;
  readonly #options: PassOptions;
  readonly #selector: LabelSelector | undefined;

  constructor(deps: PassDependencies, options: PassOptions = DEFAULT_PASS_OPTIONS) {
    this.#deps = deps;
    this.#options = options;
    this.#selector =
      options.scope.labelSelector === undefined ? undefined : parseLabelSelector(options.scope.labelSelector);
  }

  /** @throws InfrastructureError */
  async handle(event: SkinnyEvent): Promise<PassReport> {
    const { registry, clusters, clock, owner, metrics } = this.#deps;
    const controller = registry.controllerOf(event.kind);
    const api = clusters.api(event.cluster);
    if (controller === undefined || api === undefined) {
      throw new EvenkeelError(
        'UNKNOWN_TARGET',
        `no installed controller or cluster for ${event.cluster}/${event.kind}`,
      );
    }
    const { cluster, kind, uid, namespace, name } = event;
    const named: Target = { cluster, kind, uid, namespace, name };
    const startedAtMs = clock.now();
    const startedMonotonicMs = clock.monotonic();
    const acquired = await acquireLease(this.#deps, this.#options.timings, event, named, startedMonotonicMs);
    let pass: Pass | undefined;
    let how: Ended;
    let target: Target;
    if (acquired.type === 'ended') {
      ({ ended: how, target } = acquired);
    } else {
      const { state } = acquired;
      pass = {
        event: namedEvent(event, state),
        target: state.target,
        controller,
        api,
        hold: { target: state.target, owner, epoch: state.epoch },
        incarnation: event.cause === 'due' ? (state.incarnation ?? event.incarnation) : event.incarnation,
        startedAtMs,
        startedMonotonicMs,
        crashes: Math.max(0, state.epoch - state.committedEpoch - 1),
        passId: `${uid}-${state.epoch.toString(36)}`,
        attempts: 0,
        writes: 0,
        transitions: [],
      };
      how = await this.#run(pass, state);
      target = pass.target;
      if (how.end !== 'lost') await tellTransitions(this.#deps, pass, this.#options.timings.passLimitMs);
    }
    const report = passReport(
      pass?.event ?? event,
      target,
      how,
      { startedAtMs, durationMs: elapsedMs(clock, startedMonotonicMs) },
      pass,
    );
    measurePass(metrics, event, report, pass, passDimensions({ controller, target }));
    this.#deps.onPass?.(report);
    return report;
  }

  async #run(pass: Pass, acquired: TargetState): Promise<Ended> {
    if (pass.crashes >= this.#options.crashBound) return await this.#deferCrashing(pass, acquired);
    const putOff = crashPutOff(pass.event, acquired, this.#options, this.#deps.clock.now());
    if (putOff !== undefined) return await this.#defer(pass, acquired, putOff);
    const verdict = await this.#deps.gate.check(pass.target.cluster);
    if (!verdict.open) {
      const { type, message } = CLOSED_GATE[verdict.reason];
      return await this.#defer(pass, acquired, {
        dueAtMs: verdict.untilMs,
        type,
        message: verdict.detail ?? message,
      });
    }
    let state = acquired;
    for (;;) {
      const token = takeToken(this.#options.rateLimit, state.bucket, this.#deps.clock.now());
      if (!token.taken) {
        this.#deps.metrics.record('RateLimited', 1, passDimensions(pass));
        const message = 'the target asks for more passes than its rate limit allows';
        return await this.#defer(pass, state, {
          dueAtMs: token.readyAtMs,
          type: 'rateLimited',
          message,
          bucket: token.bucket,
        });
      }
      const next = await this.#attempt(pass, state, token.bucket);
      if (next.type === 'ended') return next.ended;
      state = { ...next.state, bucket: token.bucket };
    }
  }

  /** One attempt and its commit; asks for another one when something unseen happened meanwhile. */
  async #attempt(pass: Pass, state: TargetState, bucket: Bucket): Promise<Next> {
    const { clock, entropy } = this.#deps;
    pass.attempts += 1;
    const { result, context } = await reconcileOnce(this.#deps, this.#options, this.#selector, pass, state);
    pass.writes += context.writes;
    pass.transitions.push(...context.transitions);
    if (result.type === 'gone') return await this.#forget(pass, state);
    const nowMs = clock.now();
    const isActive = result.mode === 'reconciled' || result.mode === 'finalizing';
    const deadline = nextDeadline(
      result.outcome,
      { ...state, failures: state.failures + pass.crashes },
      { backoff: this.#options.backoff, targetResyncMs: isActive ? this.#options.targetResyncMs : undefined },
      nowMs,
      entropy.random(),
    );
    const { record, edgesInUse } = buildRecord({
      result,
      context,
      last: state,
      incarnation: pass.incarnation,
      deadline,
      bucket,
      reconcilerVersion: pass.controller.version,
      event: pass.event,
      durationMs: elapsedMs(clock, pass.startedMonotonicMs),
      nowMs,
    });
    await context.touchPolls();
    return await commitAttempt(this.#deps, this.#options.timings, pass, record, async (committed) =>
      ended(await this.#afterCommit(pass, state, committed, edgesInUse, result)),
    );
  }

  async #afterCommit(
    pass: Pass,
    state: TargetState,
    record: CommitRecord,
    edgesInUse: readonly EdgeKey[],
    { outcome, object, turned }: Extract<AttemptResult, { type: 'ran' }>,
  ): Promise<Ended> {
    const { metrics } = this.#deps;
    const { dueAtMs, dueSetAtMs, failures } = record;
    // As of when it was set, like the note in the record: the clock may show anything by now.
    if (dueAtMs !== undefined && dueSetAtMs !== undefined) {
      if (needsWake(state, pass.event, dueAtMs, dueSetAtMs) || dueAtMs <= dueSetAtMs)
        await this.#wake(pass, { dueAtMs, dueSetAtMs });
    }
    await this.#cleanEdges(pass, state, edgesInUse);
    const { reason, message } = record.lastOutcome;
    if (outcome.type === 'retry') {
      metrics.record('Retry', 1, { ...passDimensions(pass), Reason: reason });
      if (isApiError(outcome.error, 'Conflict')) metrics.record('Conflict', 1, passDimensions(pass));
    }
    if (turned !== undefined) {
      metrics.record('ConditionTransition', 1, { ...passDimensions(pass), Reason: turned.reason });
    }
    const condition = mainCondition(object);
    return {
      end: 'committed',
      outcome: record.lastOutcome.type,
      reason,
      message,
      dueAtMs,
      failures,
      ...(condition !== undefined && { condition: `${condition.type} ${condition.status} ${condition.reason}` }),
    };
  }

  /**
   * Removes the edges that are no longer used. A pass that was woken for an object which it neither read nor listed was
   * woken by an edge that a crash left behind: that one goes too, whichever it was. Of an object that the event names only
   * by a hash the edge cannot be found: it stays, and costs a needless pass at each change of that object.
   */
  async #cleanEdges(pass: Pass, state: TargetState, used: readonly EdgeKey[]): Promise<void> {
    const keep = new Set(used);
    const stale = new Set(state.edges.filter((key) => !keep.has(key)));
    const { changed } = pass.event;
    if (changed !== undefined && !isHashed(changed)) {
      const reasons = [
        objectKey(changed.kind, changed),
        listKey(changed.kind, changed.namespace),
        listKey(changed.kind, ''),
      ];
      if (!reasons.some((key) => keep.has(key))) for (const key of reasons) stale.add(key);
    }
    const edge = { cluster: pass.target.cluster, reader: pass.target, epoch: pass.hold.epoch };
    await Promise.all([...stale].map((key) => this.#deps.store.deleteEdge({ ...edge, key })));
  }

  /** The item goes first, then its edges: an edge left over costs one needless pass, a missing one a wakeup. */
  async #forget(pass: Pass, state: TargetState): Promise<Next> {
    const { store } = this.#deps;
    if (!(await store.forget(pass.hold, this.#deps.clock.now() + FORGOTTEN_KEPT_MS))) {
      const found = await store.readTarget(pass.target);
      if (found !== undefined)
        return isHeldBy(pass, found) ? await startAgain(this.#deps, pass, state) : ended(lost(this.#deps, pass));
    }
    await this.#cleanEdges(pass, state, []);
    authorCode(this.#deps, pass).forgotten(pass.target);
    return ended({ end: 'forgotten' });
  }

  async #deferCrashing(pass: Pass, state: TargetState): Promise<Ended> {
    const { kind, namespace, name } = pass.target;
    const { crashes } = pass;
    this.#deps.metrics.record('NeedsPerson', 1, { ...passDimensions(pass), Reason: 'CrashLoop' });
    this.#deps.logger.warn('passes of this target end without a commit again and again: a person is needed', {
      kind,
      namespace,
      name,
      crashes,
    });
    const message = `${crashes} passes in a row ended without a commit; the next one is tried at the backoff's cap`;
    return await this.#defer(pass, state, {
      dueAtMs: this.#deps.clock.now() + this.#options.backoff.capMs,
      type: 'crashing',
      message,
    });
  }

  /** Puts the pass off: the deadline first, then its wake, then the acknowledgement. */
  async #defer(
    pass: Pass,
    state: TargetState,
    {
      dueAtMs,
      type,
      message,
      bucket = state.bucket,
    }: { dueAtMs: number; type: LastOutcomeType; message: string; bucket?: Bucket | undefined },
  ): Promise<Ended> {
    const { store, clock } = this.#deps;
    const atMs = clock.now();
    const lastOutcome: LastOutcome = {
      type,
      reason: type.charAt(0).toUpperCase() + type.slice(1),
      message,
      atMs,
      durationMs: elapsedMs(clock, pass.startedMonotonicMs),
      cause: pass.event.cause,
    };
    // A deadline that stays where it is has had its wake, or gets it from the sweep.
    const isKept = dueAtMs === state.dueAtMs && pass.event.cause !== 'due';
    const dueSetAtMs = isKept ? (state.dueSetAtMs ?? atMs) : atMs;
    const isNear = dueAtMs - atMs <= NEAR_DEADLINE_MS;
    const wakeSent = isKept ? state.wakeSent : isNear;
    const record = { dueAtMs, dueSetAtMs, wakeSent, lastOutcome, ...(bucket === undefined ? {} : { bucket }) };
    const deferred = (await store.defer(pass.hold, record)) || isCommittedBy(pass, await store.readTarget(pass.target));
    if (!deferred) return lost(this.#deps, pass);
    if (isNear && !isKept) await this.#wake(pass, { dueAtMs, dueSetAtMs: atMs });
    return { end: 'deferred', outcome: type, reason: lastOutcome.reason, message, dueAtMs, failures: state.failures };
  }

  /** A wake that could not be sent is not an error of the pass: the sweep finds the deadline overdue and sends it. */
  async #wake(pass: Pass, deadline: SetDeadline): Promise<void> {
    try {
      const { wakes, clock } = this.#deps;
      await sendWake(wakes, { type: 'target', target: pass.target, dueAtMs: deadline.dueAtMs }, deadline, clock.now());
    } catch (error) {
      this.#deps.logger.error('a delayed wake could not be sent; the sweep will send the deadline', error, {
        kind: pass.target.kind,
      });
    }
  }
}
