import type { InvariantId } from '../../../lib/testing/simulation/invariants/finding.ts';

/** One deliberate bug: a text of one source file, and what stands there instead. */
export interface PlantedFault {
  /** What the bug is, as one would say it. */
  readonly name: string;
  /** The invariants that one would expect to catch it. */
  readonly expected: readonly InvariantId[];
  /** From the root of the repository. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** A seed that is known to catch it: tried first. */
  readonly seed?: number;
}

const PASS = 'lib/engine/pass';
const CONTEXT = 'lib/engine/context';
const RELAY = 'lib/engine/relay';
const MEMORY = 'lib/adapters/memory';

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'no fencing on commit',
    expected: ['I1'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'return state?.lease?.owner === hold.owner && state.epoch === hold.epoch ? state : undefined;',
    replace: 'return state;',
  },
  {
    name: 'the lease is compared with the wrong clock: the time of the event',
    expected: ['I1'],
    file: `${PASS}/acquire.ts`,
    find: 'const leaseUntilMs = startedAtMs + timings.leaseMs;',
    replace: 'const leaseUntilMs = event.at + timings.leaseMs;',
  },
  {
    name: 'a lease is taken over before it has ended',
    expected: ['I1'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'state.lease.untilMs >= nowMs',
    replace: 'state.lease.untilMs >= nowMs + 10_000',
  },
  {
    name: 'mutations do not check what is left of the lease',
    expected: ['I1'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'if (leftMs < this.#options.mutationMarginMs) {',
    replace: 'if (leftMs < -86_400_000) {',
  },
  {
    name: 'a new item starts at epoch 1',
    expected: ['I1', 'I2', 'I12', 'LEAK'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: `      epoch: (before?.epoch ?? request.nowMs) + 1,
      committedEpoch: before?.committedEpoch ?? request.nowMs,`,
    replace: `      epoch: (before?.epoch ?? 0) + 1,
      committedEpoch: before?.committedEpoch ?? 0,`,
  },
  {
    name: 'deduplication by UID',
    expected: ['I2', 'I11'],
    file: 'lib/core/event.ts',
    find: 'return queueId(prefix + observationId(event, random));',
    replace: 'return queueId(prefix + (random === undefined ? observationId(event, random) : event.uid));',
  },
  {
    name: 'dirty is ignored at commit',
    expected: ['I2', 'I12'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: '!(state.dirty.length === 0 || isSameSet(state.dirty, dirtySeen ?? []))',
    replace: 'dirtySeen?.length === -1',
  },
  {
    name: 'the dirty set holds one mark',
    expected: ['I2', 'I12'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: '[...state.dirty, mark]',
    replace: '[mark]',
  },
  {
    name: 'dirty marks are taken for covered',
    expected: ['I2', 'I12'],
    file: 'lib/core/observation.ts',
    find: 'recorded !== undefined && recorded >= Number(version)',
    replace: 'recorded !== undefined',
  },
  {
    name: 'the checkpoint advances before the send',
    expected: ['I2'],
    file: `${RELAY}/follow-watch.ts`,
    find: 'await delivery.deliver(await wakeupsOf(connection, items), last.resourceVersion);',
    replace:
      'await connection.checkpointer.advance(last.resourceVersion); await delivery.deliver(await wakeupsOf(connection, items), last.resourceVersion);',
  },
  {
    name: 'refused entries of a batch are not sent again',
    expected: ['I2'],
    file: `${RELAY}/delivery.ts`,
    find: 'left = refused;',
    replace: 'left = refused.slice(refused.length);',
  },
  {
    name: 'the edge is written after the read',
    expected: ['I2'],
    file: `${CONTEXT}/pass-context.ts`,
    find: `    await this.reads.assertEdge(key);
    if (declared.mode`,
    replace: `    void this.signal.aborted || queueMicrotask(() => void this.reads.assertEdge(key).catch(() => {}));
    if (declared.mode`,
  },
  {
    name: 'no edge for a list',
    expected: ['I2'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'await this.reads.assertEdge(listKey(kind, options.namespace));',
    replace: '',
  },
  {
    name: 'the last of two readings is recorded',
    expected: ['I2', 'I12'],
    file: `${CONTEXT}/read-tracker.ts`,
    find: 'if (this.#firstVersions.has(key)) return;',
    replace: '',
  },
  {
    name: 'a GET after a list is recorded at the later reading',
    expected: ['I2', 'I12'],
    file: `${CONTEXT}/read-tracker.ts`,
    find: 'this.#firstVersions.set(key, isListed ? undefined : versionOf(object));',
    replace: 'this.#firstVersions.set(key, versionOf(object));',
  },
  {
    name: 'the version that an own write returned is recorded whatever it was based on',
    expected: ['I2', 'I12'],
    file: `${CONTEXT}/read-tracker.ts`,
    find: 'if (basedOn !== undefined && this.#firstVersions.has(key) && this.#firstVersions.get(key) === basedOn) {',
    replace: 'if (basedOn !== undefined) {',
  },
  {
    name: 'an event one version ahead is taken for covered',
    expected: ['I2', 'I12'],
    file: 'lib/ports/is-covered.ts',
    find: '(state.versions[cover.object] ?? -1) >= cover.version',
    replace: '(state.versions[cover.object] ?? -1) + 1 >= cover.version',
  },
  {
    name: 'own status events are covered too eagerly',
    expected: ['I2', 'I12'],
    file: 'lib/ports/is-covered.ts',
    find: '(state.observedVersion ?? -1) >= cover.version',
    replace: '(state.observedVersion ?? -1) + 2 >= cover.version',
  },
  {
    name: 'coverage is kept across an incarnation',
    expected: ['I2', 'I12'],
    file: 'lib/ports/is-covered.ts',
    find: 'return state.incarnation === cover.incarnation && (state.observedVersion',
    replace: 'return (state.observedVersion',
  },
  {
    name: 'a restore of the cluster is not noticed',
    expected: ['I2', 'I12'],
    file: `${RELAY}/stream-connection.ts`,
    find: 'const version = versionNumber(listVersion);',
    replace: 'if (this.incarnation > 0) return; const version = versionNumber(listVersion);',
  },
  {
    name: 'a relist does not look for the readers of absent objects',
    expected: ['I2'],
    file: `${RELAY}/relist.ts`,
    find: "await delivery.deliver('resync', heldBack, signal);",
    replace: '',
  },
  {
    name: 'a watch goes on after 410 without a relist',
    expected: ['I2'],
    file: `${RELAY}/connection-end.ts`,
    find: "relist: reason === 'Expired'",
    replace: "relist: reason === 'KindMissing'",
  },
  {
    name: 'a silent watch is never given up',
    expected: ['I2', 'LEAK'],
    file: `${RELAY}/watch-until-idle.ts`,
    find: 'return await Promise.race([events.next(), idle]);',
    replace: 'idle.catch(() => {}); return await events.next();',
  },
  {
    name: 'an edge is put without an epoch condition',
    expected: ['I2'],
    file: `${MEMORY}/memory-edge-store.ts`,
    find: "    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });\n    if (refused) return false;",
    replace: "    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });",
  },
  {
    name: 'an edge is deleted without an epoch condition',
    expected: ['I2'],
    file: `${MEMORY}/memory-edge-store.ts`,
    find: 'if (!refused) this.#items.delete(key);',
    replace: 'this.#items.delete(key);',
  },
  {
    name: 'forget deletes the edges before the item',
    expected: ['I2'],
    file: `${PASS}/pass-runner.ts`,
    find: 'if (!(await store.forget(pass.hold))) {',
    replace: 'await this.#cleanEdges(pass, state, []); if (!(await store.forget(pass.hold))) {',
  },
  {
    name: 'an ambiguous commit is taken for success after the epoch moved on',
    expected: ['I2', 'I12'],
    file: `${PASS}/pass.ts`,
    find: 'return found?.epoch === pass.hold.epoch && found.lease === undefined && found.committedEpoch === pass.hold.epoch;',
    replace: 'return found !== undefined && found.committedEpoch >= pass.hold.epoch - 1;',
  },
  {
    name: 'a run-again keeps the readings of the first run',
    expected: ['I2', 'I4', 'I12'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'const read = this.#read(type, name, options.pollIntervalMs);',
    replace: `const kept = ((globalThis as { kept?: Map<string, ReturnType<PassContext['get']>> }).kept ??= new Map());
    const run = \`\${this.#options.hold.target.uid} \${this.#options.hold.epoch} \${key}\`;
    const read = kept.get(run) ?? this.#read(type, name, options.pollIntervalMs);
    kept.set(run, read);`,
  },
  {
    name: 'a missing kind is taken for an absent object',
    expected: ['I2', 'I12'],
    file: `${PASS}/attempt.ts`,
    find: "if (isApiError(error, 'NotFound')) return undefined;",
    replace: "if (isApiError(error, 'NotFound', 'KindMissing')) return undefined;",
  },
  {
    name: 'a pass does not tell the poll that it read another version',
    expected: ['I2', 'I10'],
    file: `${PASS}/pass-runner.ts`,
    find: 'await context.touchPolls();',
    replace: '',
  },
  {
    name: 'a poll takes what it sees first for its baseline',
    expected: ['I2', 'I10'],
    file: 'lib/engine/poll/poll-runner.ts',
    find: 'if (found.version === undefined || found.version !== state.version)',
    replace: 'if (state.version !== undefined && found.version !== state.version)',
  },
  {
    name: 'a status is published without the version that was read',
    expected: ['I3'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'const patch = { metadata: { uid, resourceVersion }, status:',
    replace: 'const patch = { metadata: { uid, ...(resourceVersion === "" && { resourceVersion }) }, status:',
  },
  {
    name: 'an apply without resourceVersion',
    expected: ['I3'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'metadata: { ...desired.metadata, uid, resourceVersion } };',
    replace: 'metadata: { ...desired.metadata, uid, ...(resourceVersion === "" && { resourceVersion }) } };',
  },
  {
    name: 'finalizers are patched whatever the version',
    expected: ['I3', 'I6'],
    file: `${CONTEXT}/identity-guards.ts`,
    find: "{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },",
    replace: '',
  },
  {
    name: 'the own status event is not covered',
    expected: ['I5'],
    file: `${PASS}/attempt.ts`,
    find: 'outcome: result.outcome, object: published };',
    replace: 'outcome: result.outcome, object };',
  },
  {
    name: 'the events of own writes to children are not covered',
    expected: ['I5'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'this.reads.recordWrite(kind, name, basedOn, written);',
    replace: 'if (basedOn === -1) this.reads.recordWrite(kind, name, basedOn, written);',
  },
  {
    name: 'an apply that changes nothing is sent all the same',
    expected: ['I5'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'if (applyWouldChangeNothing(observed, desired, this.fieldManager)) return observed;',
    replace: '',
  },
  {
    name: 'the finalizer is removed before absence is confirmed',
    expected: ['I6'],
    file: `${PASS}/attempt.ts`,
    find: "if (!result.done) return await publish(options, 'finalizing', result);",
    replace: '',
  },
  {
    name: 'a finalizer goes without finalize',
    expected: ['I6'],
    file: `${PASS}/attempt.ts`,
    find: 'const result = await controller.finalize(object, context);',
    replace:
      'const result = context.random() < 0.5 ? { done: true as const } : await controller.finalize(object, context);',
  },
  {
    name: 'a delete without the UID as precondition',
    expected: ['I7'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'preconditions: { uid, resourceVersion },',
    replace: 'preconditions: { ...(uid === "" && { uid }), resourceVersion } as { uid: string },',
  },
  {
    name: 'a failed read is taken for absence',
    expected: ['I7', 'I4', 'I6', 'I12', 'I2'],
    file: `${CONTEXT}/pass-context.ts`,
    find: `      return await this.#options.api.get(type, name, { signal: this.signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;`,
    replace: `      return await this.#options.api.get(type, name, { signal: this.signal });
    } catch (error) {
      if (isApiError(error, 'NotFound', 'Timeout', 'ServerError', 'Unreachable', 'Forbidden')) return undefined;`,
  },
  {
    name: 'an incomplete list is taken for a complete one',
    expected: ['I7', 'I2'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'continueToken = page.continueToken;',
    replace: 'continueToken = undefined;',
  },
  {
    name: 'failures are reset on every event',
    expected: ['I8'],
    file: `${PASS}/pass-runner.ts`,
    find: '{ failures: state.failures + pass.crashes, dueAtMs: state.dueAtMs },',
    replace: "{ failures: pass.event.cause === 'due' ? state.failures + pass.crashes : 0, dueAtMs: state.dueAtMs },",
  },
  {
    name: 'a crashing pass counts no failure',
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
    expected: ['I9'],
    file: 'lib/engine/batch/batch-runner.ts',
    find: `const failures = await Promise.all(
      [...groups.values()].map((group) => this.#runGroup(group, deadlineMs, draining)),
    );`,
    replace: `const failures: string[][] = [];
    for (const group of groups.values()) failures.push(await this.#runGroup(group, deadlineMs, draining));`,
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
    file: 'lib/ports/is-covered.ts',
    find: 'return state.committedEpoch > cover.epoch &&',
    replace: 'return state.epoch > cover.epoch &&',
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
    file: `${PASS}/build-record.ts`,
    find: 'return !isWakeUnderWay(last, event, dueAtMs) && dueAtMs - nowMs <= NEAR_DEADLINE_MS;',
    replace: 'return !isWakeUnderWay(last, event, dueAtMs) && dueAtMs - nowMs <= 0;',
  },
  {
    name: 'a far deadline never gets its wake',
    expected: ['I11'],
    file: 'lib/engine/sweep/sweep.ts',
    find: 'if (state.wakeSent || dueAtMs',
    replace: 'if (!state.wakeSent || dueAtMs',
  },
  {
    name: 'a deadline kept by the pass that it woke gets no other wake',
    expected: ['I11'],
    file: `${PASS}/build-record.ts`,
    find: "return dueAtMs === last.dueAtMs && !(event.cause === 'due' && event.dueAt === dueAtMs);",
    replace: 'return dueAtMs === last.dueAtMs;',
  },
  {
    name: 'past the crash bound there is no deadline',
    expected: ['I8', 'I11', 'I2'],
    file: `${PASS}/pass-runner.ts`,
    find: 'dueAtMs: this.#deps.clock.now() + this.#options.backoff.capMs,',
    replace: 'dueAtMs: this.#deps.clock.now() + 100 * this.#options.backoff.capMs,',
  },
  {
    name: 'a held lease is acknowledged without the dirty mark',
    expected: ['I12'],
    file: `${PASS}/acquire.ts`,
    find: "if (await store.markHeld(holder, mark, dueAtMs)) return { type: 'ended', ended: { end: 'held', dueAtMs } };",
    replace:
      "if (mark !== undefined && holder !== undefined) return { type: 'ended', ended: { end: 'held', dueAtMs } };",
  },
  {
    name: 'a refused mark is acknowledged all the same',
    expected: ['I12'],
    file: `${PASS}/acquire.ts`,
    find: "if (await store.markHeld(holder, mark, dueAtMs)) return { type: 'ended', ended: { end: 'held', dueAtMs } };",
    replace: "await store.markHeld(holder, mark, dueAtMs); return { type: 'ended', ended: { end: 'held', dueAtMs } };",
  },
  {
    name: 'a message that failed is acknowledged',
    expected: ['I12'],
    file: 'lib/engine/batch/batch-runner.ts',
    find: '        receiveCount: message.receiveCount,\n      });\n      return false;',
    replace: '        receiveCount: message.receiveCount,\n      });\n      return true;',
  },
  {
    name: 'a batch acknowledges a later message of its group',
    expected: ['I12'],
    file: 'lib/engine/batch/batch-runner.ts',
    find: 'const finished = messages.slice(0, handled);',
    replace: 'const finished = handled === 0 ? [] : messages.slice(0, handled + 1);',
  },
  {
    name: 'a pass that is put off is acknowledged before its deadline is written',
    expected: ['I12', 'I2'],
    file: `${PASS}/pass-runner.ts`,
    find: 'const deferred = (await store.defer(pass.hold, record)) || isCommittedBy(pass, await store.readTarget(pass.target));',
    replace: 'store.defer(pass.hold, record).catch(() => {}); const deferred = true;',
  },
  {
    name: 'a pass that stopped for its lease is acknowledged though nobody took it over',
    expected: ['I12'],
    file: `${PASS}/attempt.ts`,
    find: 'if (error instanceof InfrastructureError) throw error;',
    replace:
      "if (error instanceof InfrastructureError) throw error; if (error instanceof Error && error.name === 'LeaseLostError') return { type: 'gone' };",
  },
  {
    name: 'a new item takes a deadline for covered',
    expected: ['I12'],
    file: 'lib/ports/is-covered.ts',
    find: 'return state.committedEpoch > cover.epoch && state.lastOutcome !== undefined;',
    replace: 'return state.committedEpoch > cover.epoch;',
  },
  {
    name: 'state is kept by name, across a recreation',
    expected: ['I1', 'I2', 'I12', 'LEAK'],
    file: 'lib/adapters/state-keys.ts',
    find: 'return { pk: targetPartition(target.cluster, target.kind, shardOf(target.uid, shards)), sk: target.uid };',
    replace: `const id = 'name' in target ? (target as Target).name : target.uid;
  return { pk: targetPartition(target.cluster, target.kind, shardOf(id, shards)), sk: id };`,
  },
  {
    name: 'what a restore made vanish is not missed by resync',
    expected: ['LEAK'],
    file: 'lib/engine/resync/compare-inventory.ts',
    find: 'if (incarnation === undefined || incarnation < run.incarnation) return true;',
    replace: 'if (incarnation === undefined) return true;',
  },
  {
    name: 'a poll outlives its readers',
    expected: ['LEAK'],
    file: 'lib/engine/poll/poll-runner.ts',
    find: 'return period(dueAtMs) !== period(dueAtMs - 2 * intervalMs);',
    replace: 'return period(dueAtMs) === period(dueAtMs - 1e9 * intervalMs);',
  },
  {
    name: 'what is being deleted is deleted again',
    expected: ['I5'],
    file: `${CONTEXT}/pass-context.ts`,
    find: 'if (isBeingDeleted(observed, options.propagation)) return;',
    replace: '',
  },
];
