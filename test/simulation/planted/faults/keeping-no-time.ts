import type { PlantedFault } from '../planted-fault.ts';

const PASS = 'lib/engine/pass';
const MEMORY = 'lib/adapters/memory';

/** Delays, limits, deadlines, and one target that holds up another (I8, I9, I11). */
export const KEEPING_NO_TIME: readonly PlantedFault[] = [
  {
    name: 'failures are reset on every event',
    expected: ['I8'],
    file: `${PASS}/decide.ts`,
    find: 'const failures = last.failures + crashes + 1;',
    replace: "const failures = (facts.event.cause === 'due' ? last.failures + crashes : 0) + 1;",
  },
  {
    name: 'a crashing pass counts no failure',
    needs: { workload: 'troubles' },
    expected: ['I8'],
    file: `${PASS}/pass-runner.ts`,
    find: 'crashes: Math.max(0, state.epoch - state.committedEpoch - 1),',
    replace: 'crashes: 0,',
  },
  {
    name: 'the retry delay does not grow',
    expected: ['I8'],
    file: 'lib/core/backoff.ts',
    find: 'policy.baseMs * 2 **',
    replace: 'policy.baseMs * 1 **',
  },
  {
    name: 'the rate limit is not kept',
    expected: ['I8'],
    file: 'lib/core/rate-limit.ts',
    find: 'if (tokens >= 1) return',
    replace: 'if (tokens >= -1_000) return',
  },
  {
    name: 'a slow group holds the others of its batch',
    scenario: 'a target hangs, and another one comes in the same batch',
    expected: ['I9'],
    file: 'lib/engine/batch/batch-runner.ts',
    find: `const failures = await Promise.all(
      [...groups.values()].map((group) => this.#runGroup(group, deadlineMs, draining)),
    );`,
    replace: `const failures: string[][] = [];
    for (const group of groups.values()) failures.push(await this.#runGroup(group, deadlineMs, draining));`,
    maskedBy: 'the worker of a container, which begins each group as work of its own; a Lambda gets its batch whole',
    also: [
      {
        file: 'lib/engine/worker/queue-worker.ts',
        find: 'for (const group of Map.groupBy(messages, ({ groupId }) => groupId).values()) this.#start(group);',
        replace: 'this.#start(messages);',
      },
    ],
  },
  {
    name: 'the sweep pushes before it sends',
    expected: ['I11'],
    file: 'lib/engine/sweep/sweep.ts',
    find: "await sender.sendAll('events', [dueEvent(state, dueAtMs, nowMs)]);",
    replace:
      "await store.pushDue(state.target, { dueAtMs, epoch }, nowMs + 2 * timings.visibilityMs); await sender.sendAll('events', [dueEvent(state, dueAtMs, nowMs)]);",
  },
  {
    name: 'the held mark keeps an earlier deadline',
    expected: ['I11'],
    file: `${PASS}/acquire.ts`,
    find: 'const dueAtMs = found.lease.untilMs + timings.graceMs;',
    replace:
      'const dueAtMs = Math.min(found.dueAtMs ?? Number.POSITIVE_INFINITY, found.lease.untilMs + timings.graceMs);',
  },
  {
    name: 'a deadline is acknowledged because the epoch moved on',
    expected: ['I11', 'I12', 'I2'],
    file: 'lib/core/cover.ts',
    find: 'return state.committedEpoch > cover.epoch;',
    replace: 'return state.epoch > cover.epoch;',
  },
  {
    name: 'the sweep sends deadlines before their time',
    expected: ['I11'],
    file: 'lib/engine/sweep/sweep.ts',
    find: 'if (dueAtMs + this.#options.overdueMs <= nowMs) {',
    replace: 'if (dueAtMs - 20_000 <= nowMs) {',
  },
  {
    name: 'no wake is sent for a near deadline',
    expected: ['I11'],
    file: `${PASS}/decide.ts`,
    find: 'sendsWake: (!isKept && isNear) || (dueAtMs !== undefined && dueAtMs <= nowMs),',
    replace: 'sendsWake: dueAtMs !== undefined && dueAtMs <= nowMs,',
  },
  {
    name: 'a far deadline never gets its wake',
    scenario: 'a deadline lies further ahead than a message can wait',
    expected: ['I11'],
    file: 'lib/engine/sweep/sweep.ts',
    find: 'if (state.wakeSent || dueAtMs',
    replace: 'if (!state.wakeSent || dueAtMs',
  },
  {
    name: 'a deadline kept by the pass that it woke gets no other wake',
    needs: { workload: 'timers' },
    expected: ['I11'],
    file: `${PASS}/decide.ts`,
    find: "return dueAtMs === last.dueAtMs && !(event.cause === 'due' && event.dueAt === dueAtMs);",
    replace: 'return dueAtMs === last.dueAtMs;',
    heldBy: {
      file: 'test/engine/pass/pass-runner.test.ts',
      test: 'a deadline whose pass comes before it by the clock of its worker, and which is kept, gets another wake',
    },
  },
  {
    name: 'past the crash bound there is no deadline',
    scenario: 'passes of a target that is innocent end without a commit',
    expected: ['I8', 'I11', 'I2'],
    file: `${PASS}/put-off.ts`,
    find: 'dueAtMs: deps.clock.now() + options.backoff.capMs,',
    replace: 'dueAtMs: deps.clock.now() + 100 * options.backoff.capMs,',
  },
  {
    name: 'the sweep pushes a deadline whatever the epoch',
    needs: { workload: 'timers' },
    expected: ['I11'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'state.dueAtMs !== from.dueAtMs || state.epoch !== from.epoch',
    replace: 'state.dueAtMs !== from.dueAtMs',
  },
  {
    name: 'the grace is not above the clock skew',
    expected: ['I11'],
    file: 'lib/core/lease.ts',
    find: 'graceMs: 5_000,',
    replace: 'graceMs: 0,',
  },
  {
    name: 'a wake checks the epoch too',
    scenario: 'a wake comes while a pass is under way that keeps the deadline',
    expected: ['I11'],
    file: 'lib/engine/wake/wake-handler.ts',
    find: `const state = await store.readTarget(wake.target);
    if (state?.dueAtMs !== wake.dueAtMs) return;`,
    replace: `const state = await store.readTarget(wake.target);
    if (state?.dueAtMs !== wake.dueAtMs || state.epoch !== state.committedEpoch) return;`,
  },
  {
    name: 'a retry comes before the API server asked for it',
    expected: ['I8'],
    file: `${PASS}/decide.ts`,
    find: 'Math.max(backoffDelayMs(backoff, failures, random), retryAfterMs(outcome.error, backoff.capMs))',
    replace: 'backoffDelayMs(backoff, failures, random) + 0 * retryAfterMs(outcome.error, backoff.capMs)',
  },
  {
    name: 'an acquire that comes late takes a lease that began meanwhile',
    scenario: 'an acquire that is under way for long meets a lease that began meanwhile',
    expected: ['I1'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'lease.untilMs <= latestUntilMs || epoch !== judgedEpoch',
    replace: 'lease.untilMs <= latestUntilMs || epoch < (judgedEpoch ?? 0)',
    heldBy: {
      file: 'test/contract/state-store/leases.ts',
      test: 'takes no lease that began meanwhile',
    },
  },
  {
    name: 'a lease that a wrong clock took holds for as long as that was wrong',
    scenario: 'a worker dies whose clock was an hour ahead',
    expected: ['I2', 'I11', 'I12'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'return lease.untilMs <= latestUntilMs || epoch !== judgedEpoch;',
    replace: 'return latestUntilMs > 0 || epoch !== judgedEpoch;',
  },
  {
    name: 'a deadline that a wrong clock set is not moved',
    scenario: 'a pass fails by a clock that is an hour ahead, and is set right',
    expected: ['STUCK'],
    file: 'lib/core/deadline.ts',
    find: 'if (lengthMs === undefined || !isSetByWrongClock(deadline, nowMs, clockSkewMs)) return undefined;',
    replace: 'if (nowMs > 0 || lengthMs === undefined) return undefined;',
    maskedBy: 'its wake, which counts as due when it arrives',
    also: [
      {
        file: 'lib/engine/wake/wake-handler.ts',
        find: 'nowMs >= wake.dueAtMs || isSetByWrongClock(deadline, nowMs, timings.clockSkewMs)',
        replace: 'nowMs >= wake.dueAtMs',
      },
    ],
  },
  {
    name: 'the hold of a relay is judged by the clock',
    scenario: 'a relay dies whose clock was an hour ahead',
    expected: ['I2', 'I11', 'I12'],
    file: 'lib/engine/relay/relay-hold.ts',
    find: 'return unchangedMs > leaseMs + clockSkewMs ?',
    replace: 'return relay.untilMs < deps.clock.now() && unchangedMs + leaseMs + clockSkewMs > 0 ?',
  },
  {
    name: 'a boundary that has passed brings a pass each second, although it was recorded',
    needs: { workload: 'secret-contracts' },
    expected: ['I5'],
    file: 'lib/controllers/secret-contract/passed-boundary.ts',
    find: 'return passed.some((boundary) => !recorded.has(markOf(boundary)));',
    replace: 'return passed.length > recorded.size - passed.length;',
    heldBy: {
      file: 'test/controllers/secret-contract/passed-boundary.test.ts',
      test: 'a certificate that expired asks for one pass when 66 other findings leave no room for it in the status',
    },
  },
];
