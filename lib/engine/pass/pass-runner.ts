import { DEFAULT_BACKOFF } from '../../core/backoff.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import { type LabelSelector, parseLabelSelector } from '../../core/label-selector.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../core/lease.ts';
import { type Bucket, DEFAULT_RATE_LIMIT, takeToken } from '../../core/rate-limit.ts';
import type { Target } from '../../core/target.ts';
import { elapsedMs } from '../../ports/clock.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { acquireLease } from './acquire.ts';
import { afterCommit } from './after-commit.ts';
import { buildRecord } from './build-record.ts';
import { commitAttempt } from './commit.ts';
import { decide } from './decide.ts';
import { forget } from './forget.ts';
import { judgeVersion, versionOfPass } from './judge-version.ts';
import { mainConditionText } from './main-condition.ts';
import { namedEvent } from './named-event.ts';
import {
  type Ended,
  ended,
  type Next,
  type Pass,
  type PassDependencies,
  type PassOptions,
  passDimensions,
} from './pass.ts';
import type { PassReport } from './pass-report.ts';
import { pastPassOf } from './past-pass.ts';
import { defer, putOffOf } from './put-off.ts';
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

/** When a pass started: epoch ms for people and metrics, monotonic ms for its limits. */
type Started = Pick<Pass, 'startedAtMs' | 'startedMonotonicMs'>;

/**
 * Handles one event of one target: acquire, load live, reconcile, publish, decide, commit (docs/architecture.md, "How one
 * change is handled"). Resolves when the message may be acknowledged; rejects with InfrastructureError when it must be delivered
 * again.
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
    const { clock, metrics, onPass } = this.#deps;
    const author = this.#authorOf(event);
    const { cluster, kind, uid, namespace, name } = event;
    const named: Target = { cluster, kind, uid, namespace, name };
    const started = { startedAtMs: clock.now(), startedMonotonicMs: clock.monotonic() };
    const { timings } = this.#options;
    const acquired = await acquireLease(this.#deps, timings, event, named, started.startedMonotonicMs);
    const {
      ended: how,
      target,
      pass,
    } = acquired.type === 'ended'
      ? { ...acquired, pass: undefined }
      : await this.#runTold(await this.#begin(event, acquired.state, author, started), acquired.state);
    const times = { startedAtMs: started.startedAtMs, durationMs: elapsedMs(clock, started.startedMonotonicMs) };
    const report = passReport(pass?.event ?? event, target, how, times, pass);
    measurePass(metrics, event, report, pass, passDimensions({ controller: author.controller, target }));
    onPass?.(report);
    return report;
  }

  #authorOf(event: SkinnyEvent): Pick<Pass, 'controller' | 'api'> {
    const controller = this.#deps.registry.controllerOf(event.kind);
    const api = this.#deps.clusters.api(event.cluster);
    if (controller !== undefined && api !== undefined) return { controller, api };
    throw new EvenkeelError('UNKNOWN_TARGET', `no installed controller or cluster for ${event.cluster}/${event.kind}`);
  }

  async #begin(
    given: SkinnyEvent,
    state: TargetState,
    author: Pick<Pass, 'controller' | 'api'>,
    started: Started,
  ): Promise<Pass> {
    const event = namedEvent(given, state);
    const crashes = Math.max(0, state.epoch - state.committedEpoch - 1);
    const beginning = { ...author, event, target: state.target, crashes };
    return {
      ...beginning,
      ...(await versionOfPass(this.#deps, beginning, state)),
      ...started,
      hold: { target: state.target, owner: this.#deps.owner, epoch: state.epoch },
      incarnation: event.cause === 'due' ? (state.incarnation ?? event.incarnation) : event.incarnation,
      passId: `${event.uid}-${state.epoch.toString(36)}`,
      attempts: 0,
      writes: 0,
      written: [],
      marks: [],
      transitions: [],
    };
  }

  /** Runs a pass, and sends its transitions after the commit. */
  async #runTold(pass: Pass, acquired: TargetState): Promise<{ ended: Ended; target: Target; pass: Pass }> {
    const how = await this.#run(pass, acquired);
    const { target } = pass;
    if (how.end !== 'lost') await tellTransitions(this.#deps, pass, this.#options.timings.passLimitMs);
    return { ended: how, target, pass };
  }

  async #run(pass: Pass, acquired: TargetState): Promise<Ended> {
    const putOff = await putOffOf(this.#deps, this.#options, pass, acquired);
    if (putOff !== undefined) return await defer(this.#deps, pass, acquired, putOff);
    let state = acquired;
    for (;;) {
      const token = takeToken(this.#options.rateLimit, state.bucket, this.#deps.clock.now());
      if (!token.taken) {
        this.#deps.metrics.record('RateLimited', 1, passDimensions(pass));
        const { readyAtMs: dueAtMs, bucket } = token;
        const message = 'the object needs more passes than its rate limit allows';
        return await defer(this.#deps, pass, state, { dueAtMs, type: 'rateLimited', message, bucket });
      }
      const next = await this.#attempt(pass, state, token.bucket);
      if (next.type === 'ended') return next.ended;
      state = { ...next.state, bucket: token.bucket };
    }
  }

  /** One attempt and its commit. Asks for another attempt when an unseen event arrived. */
  async #attempt(pass: Pass, state: TargetState, bucket: Bucket): Promise<Next> {
    const { clock, entropy } = this.#deps;
    pass.attempts += 1;
    const ran = await reconcileOnce(this.#deps, this.#options, this.#selector, pass, state);
    const { context } = ran;
    const result = await judgeVersion(this.#deps, pass, state, ran.result, ran.held);
    pass.writes += context.writes;
    pass.written.push(...context.written);
    pass.transitions.push(...context.transitions);
    if (result.type === 'gone') return await forget(this.#deps, pass, state);
    const nowMs = clock.now();
    const { event, crashes, incarnation } = pass;
    const { mode, waitsFor } = result;
    const condition = mainConditionText(result.object);
    const durationMs = elapsedMs(clock, pass.startedMonotonicMs);
    const facts = { mode, last: state, crashes, event, durationMs, random: entropy.random() };
    const decision = decide(
      { ...facts, ...(waitsFor !== undefined && { waitsFor }), ...(condition !== undefined && { condition }) },
      result.outcome,
      this.#options,
      nowMs,
    );
    // When a version could not take over the object, the version before keeps it.
    const isRefused = pass.takesOver && decision.keepsUnread;
    const reconcilerVersion = (isRefused ? state.reconcilerVersion : undefined) ?? pass.controller.version;
    const pastPass = pastPassOf(pass, decision.lastOutcome);
    const input = { context, last: state, incarnation, decision, bucket, reconcilerVersion, nowMs, pastPass };
    const { record, edgesInUse } = buildRecord(input);
    await context.touchPolls();
    return await commitAttempt(this.#deps, this.#options.timings, pass, record, async (committed) =>
      ended(await afterCommit(this.#deps, pass, state, committed, { result, decision, edgesInUse })),
    );
  }
}
