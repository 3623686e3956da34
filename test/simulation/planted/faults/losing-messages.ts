import type { PlantedFault } from '../planted-fault.ts';

export const LOSING_MESSAGES: readonly PlantedFault[] = [
  {
    name: 'an event during a pass is acknowledged without a pending mark',
    expected: ['I12'],
    inside: 'leavePendingMark',
    find: 'await store.markHeld(holder, mark, dueAtMs, foundAtMs, isOwnEvent(event) ? target : undefined);',
    replace: 'mark !== undefined && holder !== undefined;',
  },
  {
    name: 'a refused mark is acknowledged all the same',
    expected: ['I12'],
    inside: 'leavePendingMark',
    find: 'return isMarked ? dueAtMs : undefined;',
    replace: 'return dueAtMs;',
  },
  {
    name: 'an acquire that was refused by a lease that ended since counts as covered',
    expected: ['I12', 'I2'],
    inside: 'acquireLease',
    find: 'expiredEpoch = found.epoch;\n      continue;',
    replace: 'return covered(found.target);',
  },
  {
    name: 'a message that failed is acknowledged',
    expected: ['I12'],
    inside: 'BatchRunner.#handleMessage',
    find: 'return await this.#failed(message, decoded.event, error);',
    replace: 'await this.#failed(message, decoded.event, error);\n      return true;',
  },
  {
    name: 'a batch acknowledges a later message of its group',
    expected: ['I12'],
    inside: 'BatchRunner.#runMessageGroup',
    find: 'const finished = messages.slice(0, handled);',
    replace: 'const finished = handled === 0 ? [] : messages.slice(0, handled + 1);',
  },
  {
    name: 'a pass that is put off is acknowledged before its deadline is written',
    expected: ['I12', 'I2'],
    inside: 'defer',
    folder: 'lib/engine/pass',
    find: 'const deferred = (await store.defer(pass.hold, record)) || isCommittedBy(pass, await store.readTarget(pass.target));',
    replace: 'store.defer(pass.hold, record).catch(() => {}); const deferred = true;',
  },
  {
    name: 'a pass that stopped for its lease is acknowledged though nobody took it over',
    scenario: 'little is left of the lease of a pass whose worker was frozen',
    expected: ['I12', 'I2'],
    inside: 'runAttempt',
    find: 'if (error instanceof InfrastructureError) throw error;',
    replace:
      "if (error instanceof InfrastructureError) throw error; if (error instanceof Error && error.name === 'LeaseLostError') return { type: 'gone' };",
    heldBy: {
      file: 'test/engine/pass/pass-runner.test.ts',
      test: 'a mutation is refused when too little of the lease is left, and the pass is retried',
    },
  },
  {
    name: 'resync does not find objects that a restore removed',
    scenario: 'a target vanishes in a restore, and resync looks for it',
    expected: ['LEAK'],
    inside: 'isMissing',
    find: 'if (incarnation === undefined || incarnation < run.incarnation) return true;',
    replace: 'if (incarnation === undefined) return true;',
    heldBy: {
      file: 'test/engine/resync/resync-cluster.test.ts',
      test: 'resync finds a target that a restore removed, although it was seen at a version later than the list',
    },
  },
  {
    name: 'a poll outlives its readers',
    needs: { workload: 'sessions' },
    expected: ['LEAK'],
    inside: 'PollRunner.#asksForReaders',
    find: 'return period(dueAtMs) !== period(dueAtMs - 2 * intervalMs);',
    replace: 'return period(dueAtMs) === period(dueAtMs - 1e9 * intervalMs);',
    heldBy: {
      file: 'test/engine/poll/poll-runner.test.ts',
      test: 'a poll ends when its last reader is gone, also when its object never changes',
    },
  },
  {
    name: 'an asking for readers is left out between two polls',
    needs: { workload: 'sessions' },
    expected: ['LEAK'],
    inside: 'PollRunner.#asksForReaders',
    find: 'return period(dueAtMs) !== period(dueAtMs - 2 * intervalMs);',
    replace: 'return period(dueAtMs) !== period(dueAtMs - intervalMs / 2);',
    heldBy: {
      file: 'test/engine/poll/poll-runner.test.ts',
      test: 'a poll without readers ends for every jitter between two polls',
    },
  },
];
