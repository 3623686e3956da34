import type { PlantedFault } from '../planted-fault.ts';

/**
 * Faults in places that the other lists do not cover: late in a pass, between two batches, in the middle of a recovery.
 */
export const TIRED_ENGINEERS: readonly PlantedFault[] = [
  {
    name: 'the pass counts its lease from when it was granted, not asked for',
    scenario: 'a lease is granted late, and its holder is paused',
    expected: ['I1'],
    inside: 'reconcileOnce',
    find: 'leaseEndsMonotonicMs: pass.startedMonotonicMs + options.timings.leaseMs,',
    replace: 'leaseEndsMonotonicMs: deps.clock.monotonic() + options.timings.leaseMs,',
  },
  {
    name: 'a lease of the same worker counts as ours for any attempt',
    expected: ['I1'],
    inside: 'acquireLease',
    find: 'if (found.lease?.owner === owner && found.lease.attempt === attempt)',
    replace: 'if (found.lease?.owner === owner)',
  },
  {
    name: 'adding our finalizer replaces those of others',
    needs: { workload: 'copies' },
    expected: ['I6'],
    inside: 'addFinalizerPatch',
    find: `{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }`,
    replace: `{ op: 'add', path: '/metadata/finalizers', value: [finalizer] }`,
  },
  {
    name: 'durable values are committed as they were',
    scenario: 'an owner goes without its namespace, whose pass marks it',
    expected: ['I6', 'I10', 'I2'],
    inside: 'buildRecord',
    find: 'values: context.values,',
    replace: 'values: input.last.values,',
    maskedBy: 'the status of a Gateway, which shows where its objects are, and stands in for values that are lost',
    also: [
      {
        inside: 'readGatewayRecord',
        find: 'const shown = statusSchema.safeParse(status).data;\n  return {',
        replace: 'const shown = statusSchema.safeParse(undefined).data; void status;\n  return {',
      },
    ],
  },
  {
    name: 'a commit over marks too late to run again leaves no deadline',
    scenario: 'a change meets a pass that has no time to run again',
    expected: ['I12', 'I2'],
    inside: 'commitAttempt',
    find: 'const late: CommitRecord = { ...record, dueAtMs: nowMs, dueSetAtMs: nowMs, wakeSent: true };',
    replace: 'const late: CommitRecord = { ...record };',
  },
  {
    name: 'what the dead-letter queue did not take is acknowledged',
    scenario: 'nobody takes a message that cannot be read',
    expected: ['I12'],
    inside: 'BatchRunner.#bury',
    find: `{
        messageId: message.messageId,
      });
      return false;
    }
    logger.warn(`,
    replace: `{
        messageId: message.messageId,
      });
      return true;
    }
    logger.warn(`,
  },
  {
    name: 'a deadline names the committed epoch',
    expected: ['I11'],
    inside: 'dueEvent',
    find: 'epoch: state.epoch,',
    replace: 'epoch: state.committedEpoch,',
  },
  {
    name: 'the checkpoint passes a batch that waits',
    scenario: 'a relay dies between a batch that it sent and one that it held back',
    expected: ['I2'],
    inside: 'BatchDelivery.#accepted',
    find: 'const open = this.#batches.findIndex(({ accepted }) => !accepted);',
    replace: 'const open: number = -1;',
  },
  {
    name: 'of a batch one wakeup a target is kept',
    scenario: 'a foreign change comes in one batch of the watch with own writes',
    expected: ['I2'],
    inside: 'affectedBy',
    find: `const key = \`\${target} \${about}\`;`,
    replace: 'const key = about === "" ? about : target;',
  },
  {
    name: 'a query for readers that failed is let go',
    scenario: 'the readers of what changed cannot be looked up',
    expected: ['I2'],
    inside: 'queryReaders',
    find: 'if (failed !== undefined) throw failed.reason;',
    replace: '',
  },
  {
    name: 'a restore of one raise goes unnoticed',
    scenario: 'the cluster goes back by one raise of the counter, and passes its old version before it is looked at',
    expected: ['I2'],
    inside: 'RestoreWitness.#compare',
    find: 'shown < this.#seen;',
    replace: 'shown < this.#seen - 1;',
  },
  {
    name: 'an older table in the place of the present one goes unnoticed by a relay that keeps its hold',
    scenario: 'an older table is put in place under a running fleet',
    expected: ['I2'],
    inside: 'RestoreWitness.#checkTable',
    find: 'raised > this.#counter',
    replace: 'raised > 0',
  },
  {
    name: 'a new incarnation begins only in a table that has the one before it',
    scenario: 'a table from before the last incarnation is put in place under a running fleet',
    expected: ['I2'],
    inside: 'MemoryClusterStore.startIncarnation',
    find: 'item.incarnation <= from',
    replace: 'item.incarnation === from',
  },
  {
    name: 'the checkpoint moves at the first page of a list',
    scenario: 'a relay dies before it has sent what a list showed',
    expected: ['I2'],
    inside: 'listedObjects',
    find: 'await connection.verifyNotRestored(list.version, below);',
    replace: `await connection.verifyNotRestored(list.version, below);
        await connection.checkpointer.advance(list.version);`,
  },
  {
    name: 'readers of lists over all namespaces are not asked for',
    needs: { workload: 'pools' },
    expected: ['I2'],
    inside: 'edgeKeys',
    find: `kind.listedEverywhere && namespace !== ''`,
    replace: `kind.listedEverywhere && namespace === ''`,
  },
  {
    name: 'a foreign object under our name is not polled',
    unseen: 'no user of the workload takes the name of a claim before its session does, and changes it later',
    expected: ['I2'],
    inside: 'LiveReader.#read',
    find: `if (declared.mode === 'watch-labelled' && isUnlabelled)`,
    replace: `if (declared.mode === 'poll' && isUnlabelled)`,
    heldBy: {
      file: 'test/engine/poll/poll-runner.test.ts',
      test: 'R-4.4 a foreign object of an owned kind under our name is polled, because the label watch does not show it',
    },
  },
  {
    name: 'once paused, always paused',
    scenario: 'a cluster is paused for a while',
    expected: ['I2'],
    inside: 'ClusterGate.#read',
    find: 'health.paused = paused;',
    replace: 'health.paused ||= paused;',
  },
  {
    name: 'a poll records what it saw before it sends to the readers',
    scenario: 'a poll dies before it has told the readers',
    expected: ['I2', 'I10'],
    inside: 'PollRunner.#tellReaders',
    find: `await sender.sendAll(
      'events',`,
    replace: `await this.#again(state, found.version, 'changed');
    await sender.sendAll(
      'events',`,
    also: [
      {
        inside: 'PollRunner.#tellReaders',
        find: `await this.#again(state, found.version, 'changed');
    return 'changed';`,
        replace: `return 'changed';`,
      },
    ],
  },
  {
    name: 'relay and resync read the first page of a list only',
    needs: { faults: ['gap'] },
    expected: ['I2'],
    inside: 'readPage',
    find: "const next = more === '' ? undefined :",
    replace: 'const next = more.length >= 0 ? undefined :',
  },
  {
    name: 'a relist reads the first page of edges only',
    scenario: 'an object goes while nobody watches, and others list its kind',
    expected: ['I2'],
    inside: 'ShardEdges.head',
    find: 'this.#ended = next === undefined;',
    replace: 'this.#ended = true;',
  },
  {
    name: 'a poll with another request in between sets no timer',
    scenario: 'a pass asks for a poll while it is under way',
    expected: ['I11'],
    inside: 'PollRunner.#again',
    find: 'if (touched !== undefined && touched.counter !== state.counter) {',
    replace: 'if (touched !== undefined && touched.counter < 0) {',
  },
  {
    name: 'a failed pass keeps versions of another incarnation',
    scenario: 'the first pass after a restore fails, and other messages wait',
    expected: ['I12', 'I2'],
    inside: 'keepUnread',
    find: 'Object.entries(sameIncarnation ? last.versions : {})',
    replace: 'Object.entries(sameIncarnation || last.versions ? last.versions : {})',
  },
  {
    name: 'an overdue poll is not sent',
    scenario: 'a poll dies between its next deadline and the wake of that',
    expected: ['I2', 'I10'],
    inside: 'Sweep.#handlePoll',
    find: 'if (state.dueAtMs + this.#options.overdueMs <= nowMs) {',
    replace: 'if (state.dueAtMs + 1_000 * this.#options.overdueMs <= nowMs) {',
  },
  {
    name: 'over the limit is due again at once',
    scenario: 'a target is edited faster than its rate limit allows',
    expected: ['I8'],
    inside: 'takeToken',
    find: 'readyAtMs: nowMs + Math.ceil((1 - tokens) * limit.refillMs)',
    replace: 'readyAtMs: nowMs',
  },
  {
    name: 'a closed gate puts passes off until now',
    scenario: 'a cluster is paused for a while',
    expected: ['I8'],
    inside: 'putOffOf',
    find: 'dueAtMs: verdict.untilMs,',
    replace: 'dueAtMs: deps.clock.now(),',
  },
  {
    name: 'a run-again takes its token from the bucket before',
    scenario: 'a target is changed again and again while its pass runs',
    expected: ['I8'],
    inside: 'PassRunner.#run',
    find: 'state = { ...next.state, bucket: token.bucket };',
    replace: 'state = next.state;',
  },
  {
    name: 'the breaker stays half open for ever',
    scenario: 'a cluster answers again, and one change concerns many',
    expected: ['I9'],
    inside: 'ClusterGate.succeeded',
    find: `    health.openUntilMs = NEVER_MS;
`,
    replace: '',
  },
  {
    name: 'the time limit does not end a pass that hangs',
    needs: { workload: 'troubles' },
    expected: ['I12', 'I9'],
    inside: 'reconcileOnce',
    find: 'await Promise.race([attempt, whenAborted(limit.signal, context)]);',
    replace: 'await attempt; void whenAborted;',
  },
  {
    name: 'a wake that comes early is dropped',
    scenario: 'a wake comes early by the clock of the worker that gets it',
    expected: ['I11'],
    inside: 'WakeHandler.#isEarly',
    find: 'await sendWake(wakes, wake, deadline, nowMs);',
    replace: '',
  },
];
