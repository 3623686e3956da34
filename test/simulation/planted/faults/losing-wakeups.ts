import type { PlantedFault } from '../planted-fault.ts';

const PASS = 'lib/engine/pass';
const CONTEXT = 'lib/engine/context';
const RELAY = 'lib/engine/relay';
const MEMORY = 'lib/adapters/memory';

/** Wakeups are lost: what changed is not followed (I2). */
export const LOSING_WAKEUPS: readonly PlantedFault[] = [
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
    file: 'lib/core/cover.ts',
    find: 'version: recordedVersion(versions, object) }, told)',
    replace: 'version: recordedVersion(versions, object) }, { ...told, version: 0 })',
  },
  {
    name: 'the checkpoint advances before the send',
    expected: ['I2'],
    file: `${RELAY}/follow-watch.ts`,
    find: 'await delivery.deliver(await affectedItems(connection, items), last.resourceVersion);',
    replace:
      'await connection.checkpointer.advance(last.resourceVersion); await delivery.deliver(await affectedItems(connection, items), last.resourceVersion);',
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
    file: `${CONTEXT}/live-reader.ts`,
    find: `    await this.tracker.assertEdge(key);
    if (declared.mode`,
    replace: `    void this.#options.signal.aborted || queueMicrotask(() => void this.tracker.assertEdge(key).catch(() => {}));
    if (declared.mode`,
  },
  {
    name: 'no edge for a list',
    expected: ['I2'],
    file: `${CONTEXT}/live-reader.ts`,
    find: 'await this.tracker.assertEdge(listKey(kind, options.namespace));',
    replace: '',
  },
  {
    name: 'the last of two readings is recorded',
    needs: { workload: 'copies', faults: ['meddle'] },
    expected: ['I2', 'I12', 'I5'],
    file: `${CONTEXT}/read-tracker.ts`,
    find: 'if (this.#firstVersions.has(key)) return;',
    replace: '',
  },
  {
    name: 'a GET after a list is recorded at the later reading',
    scenario: 'an object appears between a list that lacks it and its reading by name',
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
    file: 'lib/core/cover.ts',
    find: 'version: recordedVersion(state.versions, cover.object) }',
    replace: 'version: (recordedVersion(state.versions, cover.object) ?? -1) + 1 }',
  },
  {
    name: 'own status events are covered too eagerly',
    expected: ['I2', 'I12'],
    file: 'lib/core/cover.ts',
    find: 'version: state.observedVersion }',
    replace: 'version: (state.observedVersion ?? -1) + 2 }',
  },
  {
    name: 'coverage is kept across an incarnation',
    needs: { faults: ['restore'] },
    expected: ['I2', 'I12'],
    file: 'lib/core/cover.ts',
    find: '{ incarnation, version: state.observedVersion }',
    replace: '{ incarnation: cover.incarnation, version: state.observedVersion }',
  },
  {
    name: 'what was observed of the target itself covers the events of other objects',
    expected: ['I2', 'I12'],
    file: 'lib/core/cover.ts',
    find: 'return isTarget(cover.object, state.target) && isCovered(',
    replace: 'return isCovered(',
  },
  {
    name: 'a restore of the cluster is not noticed',
    needs: { faults: ['restore'] },
    expected: ['I2', 'I12'],
    file: `${RELAY}/incarnation.ts`,
    find: 'const started = await this.#deps.store.startIncarnation(this.#deps.cluster, from);',
    replace: 'if (evidence !== undefined) return; const started = from;',
  },
  {
    name: 'a list below the checkpoint is not taken for a restore',
    scenario: 'the cluster goes back to a backup younger than the last raise of the counter',
    expected: ['I2', 'I12'],
    file: `${RELAY}/stream-connection.ts`,
    find: 'const version = versionNumber(listVersion);',
    replace: 'if (this.incarnation > 0) return; const version = versionNumber(listVersion);',
  },
  {
    name: 'a relist does not look for the readers of absent objects',
    needs: { workload: 'copies', faults: ['gap'] },
    expected: ['I2'],
    file: `${RELAY}/relist.ts`,
    find: 'await send(heldBack);',
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
    needs: { faults: ['pause'] },
    expected: ['I2'],
    file: `${MEMORY}/memory-edge-store.ts`,
    find: "    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });\n    if (refused) return false;",
    replace: "    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });",
  },
  {
    name: 'an edge is deleted without an epoch condition',
    scenario: 'an edge that a slow pass no longer used is used again',
    expected: ['I2'],
    file: `${MEMORY}/memory-edge-store.ts`,
    find: 'if (!refused) this.#items.delete(key);',
    replace: 'this.#items.delete(key);',
  },
  {
    name: 'forget deletes the edges before the item',
    expected: ['I2'],
    file: `${PASS}/forget.ts`,
    find: 'if (!(await store.forget(pass.hold, ',
    replace: 'await cleanEdges(deps, pass, state, []); if (!(await store.forget(pass.hold, ',
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
    file: `${CONTEXT}/live-reader.ts`,
    find: 'const read = this.#read(type, name, pollIntervalMs);',
    replace: `const kept = ((globalThis as { kept?: Map<string, ReturnType<LiveReader['get']>> }).kept ??= new Map());
    const run = \`\${this.#options.hold.target.uid} \${this.#options.hold.epoch} \${key}\`;
    const read = kept.get(run) ?? this.#read(type, name, pollIntervalMs);
    kept.set(run, read);`,
  },
  {
    name: 'a missing kind is taken for an absent object',
    needs: { faults: ['missing'] },
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
    needs: { workload: 'sessions' },
    expected: ['I2', 'I10'],
    file: 'lib/engine/poll/poll-runner.ts',
    find: 'if (found.version === undefined || found.version !== state.version)',
    replace: 'if (state.version !== undefined && found.version !== state.version)',
  },
  {
    name: 'edges are read eventually consistent',
    expected: ['I2'],
    file: `${MEMORY}/memory-edge-store.ts`,
    find: 'return this.#items.page(pk, { prefix: sk, limit, ...(after !== undefined && { after }) });',
    replace: `const lagging = ((this as { lagging?: Map<string, Page<Edge>> }).lagging ??= new Map());
    const before = lagging.get(key) ?? { items: [] };
    lagging.set(key, this.#items.page(pk, { prefix: sk, limit, ...(after !== undefined && { after }) }));
    return before;`,
  },
  {
    name: 'the last pass’s edges are read before the lease is taken',
    expected: ['I2', 'LEAK'],
    file: `${PASS}/acquire.ts`,
    find: `const acquired = await store.acquire({`,
    replace: `const before = await store.readTarget(target);
    const acquired = await store.acquire({`,
    also: [
      {
        file: `${PASS}/acquire.ts`,
        find: "if (acquired.type === 'acquired') return acquired;",
        replace:
          "if (acquired.type === 'acquired') return { ...acquired, state: { ...acquired.state, edges: before?.edges ?? [] } };",
      },
    ],
  },
  {
    name: 'deduplication ids do not name the incarnation',
    scenario: 'after a restore an object comes to a version that it had before',
    expected: ['I2', 'LEAK'],
    file: 'lib/core/event.ts',
    find: 'event.incarnation}/`',
    replace: 'event.cluster}/`',
  },
  {
    name: 'marks do not name the incarnation',
    needs: { faults: ['restore'] },
    expected: ['I2', 'I12'],
    file: 'lib/core/cover.ts',
    find: '{ incarnation, version: recordedVersion(versions, object) }',
    replace: '{ incarnation: told.incarnation, version: recordedVersion(versions, object) }',
  },
  {
    name: 'a pass commits under the incarnation of its end',
    scenario: 'a restore is noticed while a pass is about to commit',
    expected: ['I2', 'I12'],
    file: `${PASS}/pass-runner.ts`,
    find: 'const { event, crashes, incarnation } = pass;',
    replace:
      'const { event, crashes } = pass; const { incarnation } = await this.#deps.store.readCluster(pass.target.cluster);',
  },
  {
    name: 'a relist matches a list edge to no absent object',
    needs: { workload: 'copies', faults: ['gap'] },
    expected: ['I2'],
    file: `${RELAY}/relist.ts`,
    find: "if (match.type !== 'present' || edge.reader.uid !== match.object.uid) run.add(edge);",
    replace:
      "if (match.type === 'absent' || (match.type === 'present' && edge.reader.uid !== match.object.uid)) run.add(edge);",
  },
  {
    name: 'a poll’s item is put only if it is absent',
    scenario: 'a poll finds no reader just before one comes',
    expected: ['I2', 'I10'],
    file: `${MEMORY}/memory-poll-store.ts`,
    find: 'const before = this.#items.get(pollKey(poll));\n    const dueAtMs',
    replace: 'const before = this.#items.get(pollKey(poll));\n    if (before !== undefined) return;\n    const dueAtMs',
  },
  {
    name: 'a polled absence has no id of its own',
    scenario: 'a polled object goes, comes back, and goes again',
    expected: ['I2', 'I10'],
    file: 'lib/engine/poll/poll-runner.ts',
    find: '{ absentAt: String(dueAtMs), deleted: true }',
    replace: "{ absentAt: dueAtMs > 0 ? 'absent' : '', deleted: true }",
  },
  {
    name: 'forget ignores the marks',
    scenario: 'what is forgotten comes back by a restore',
    expected: ['I2', 'I12', 'LEAK'],
    file: `${MEMORY}/memory-target-store.ts`,
    find: 'if (state === undefined || state.dirty.length > 0) return this.#refuse',
    replace: 'if (state === undefined) return this.#refuse',
  },
  {
    name: 'a clock that is set back keeps a cluster closed',
    scenario: 'the breaker opens by a clock that is set back',
    expected: ['I2', 'I8', 'I9'],
    file: 'lib/engine/breaker/is-breaker-open.ts',
    find: 'untilMs > nowMs && untilMs - nowMs <= 2 * capMs;',
    replace: 'untilMs > nowMs && capMs > 0;',
    heldBy: {
      file: 'test/engine/breaker/cluster-gate.test.ts',
      test: 'what another worker wrote by a clock that was ahead does not keep it closed for the difference',
    },
  },
  {
    name: 'a clock that is set back starves a target',
    scenario: 'the rate limit is reached by a clock that is set back',
    expected: ['I2', 'I8', 'I9', 'I11'],
    file: 'lib/core/rate-limit.ts',
    find: 'before.atMs - nowMs > FARTHEST_AHEAD_MS ? nowMs : Math.max(nowMs, before.atMs)',
    replace: 'FARTHEST_AHEAD_MS > 0 ? Math.max(nowMs, before.atMs) : nowMs',
    heldBy: {
      file: 'test/core/vocabulary.test.ts',
      test: 'a clock that is set back far delays nobody, one that is a little behind adds nothing',
    },
  },
];
