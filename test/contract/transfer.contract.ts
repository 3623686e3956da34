import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportState } from '../../lib/engine/transfer/export-state.ts';
import { exportText, parseExport } from '../../lib/engine/transfer/exported-state.ts';
import { importState } from '../../lib/engine/transfer/import-state.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { takeLease } from '../support/take-lease.ts';
import {
  acquired,
  acquireRequest,
  commitRecord,
  committed,
  dueHints,
  freshCluster,
  freshTarget,
  KIND,
  NOW,
} from './state-store/subject.ts';

export interface OpenedStore {
  readonly store: StateStore;
  close(): Promise<void>;
}

const VALUES = { content: 'mark:digest', revision: 3, targets: 'mark:uid:2', open: true };

/** A store with some methods replaced. */
function overriding(store: StateStore, methods: Partial<StateStore>): StateStore {
  return new Proxy(store, {
    get(_, name: keyof StateStore) {
      const found = methods[name] ?? store[name];
      return typeof found === 'function' ? found.bind(store) : found;
    },
  });
}

/** A transfer from one table to another, of any implementation. */
export function describeTransfer(
  name: string,
  openSource: () => Promise<OpenedStore>,
  openDestination: () => Promise<OpenedStore>,
): void {
  describe(name, () => {
    let from: OpenedStore;
    let to: OpenedStore;
    beforeAll(async () => {
      from = await openSource();
      to = await openDestination();
    });
    afterAll(async () => {
      await from.close();
      await to.close();
    });

    /** Exports a cluster, and reads the file like another process. */
    async function exported(cluster: string) {
      const { unreadable, ...state } = await exportState(from.store, cluster, [KIND]);
      expect(unreadable).toEqual([]);
      return parseExport(exportText({ exportedAt: '2026-01-01T00:00:00Z', release: '1.0.0', ...state }), 'file');
    }

    function imported(state: Awaited<ReturnType<typeof exported>>, store = to.store, cluster = state.cluster.name) {
      let ids = 0;
      const entropy = { id: () => `import-${ids++}` };
      return importState(state, {
        store,
        clock: new ManualClock(NOW),
        entropy,
        owner: 'importer',
        by: 'ann@laptop',
        cluster,
      });
    }

    it('R-2.13 R-1.7 import records durable values, failures and the next try, and nothing as observed', async () => {
      const target = freshTarget();
      const owners = { Ready: 'engine' } as const;
      const fields = {
        values: VALUES,
        failures: 4,
        dueAtMs: NOW + 90_000,
        observedVersion: 7,
        versions: { 'secrets/default/a': 7 },
      };
      await committed(from.store, target, { ...fields, conditionOwners: owners, edges: ['secrets/default/a'] });
      await from.store.pinClusterUid(target.cluster, 'uid-of-cluster');
      expect(await imported(await exported(target.cluster))).toEqual({ imported: 1, known: 0 });
      const state = await to.store.readTarget(target);
      expect(state).toMatchObject({
        target,
        values: VALUES,
        failures: 4,
        dueAtMs: NOW + 90_000,
        conditionOwners: owners,
      });
      expect(state).toMatchObject({ versions: {}, edges: [], committedEpoch: state?.epoch });
      expect(state?.observedVersion).toBeUndefined();
      expect(state?.lease).toBeUndefined();
      expect(await dueHints(to.store, target.cluster, NOW + 90_000)).toHaveLength(1);
      expect((await to.store.readCluster(target.cluster)).clusterUid).toBe('uid-of-cluster');
      // The event that a first list sends starts a pass, which has the values.
      const cover = { type: 'self', incarnation: 1, version: 7 } as const;
      expect(await takeLease(to.store, acquireRequest(target, { cover }))).toMatchObject({ values: VALUES });
    });

    it('R-5.21 export leaves out what can be found out again', async () => {
      const cluster = freshCluster();
      await committed(from.store, freshTarget({ cluster }), { observedVersion: 7, dueAtMs: NOW + 90_000 });
      const failing = freshTarget({ cluster });
      await committed(from.store, failing, { failures: 1 });
      const { objects } = await exported(cluster);
      expect(objects).toEqual([{ kind: KIND, namespace: 'default', name: 'web', uid: failing.uid, failures: 1 }]);
    });

    it('R-1.12 import leaves an object as it is when the installation has reconciled it', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      const state = await exported(target.cluster);
      await committed(to.store, target, { observedVersion: 9, values: { revision: 5 } });
      const before = await to.store.readTarget(target);
      expect(await imported(state)).toEqual({ imported: 0, known: 1 });
      expect(await to.store.readTarget(target)).toEqual(before);
    });

    it('R-1.12 import writes the same once when it is repeated', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      const state = await exported(target.cluster);
      expect(await imported(state)).toEqual({ imported: 1, known: 0 });
      const before = await to.store.readTarget(target);
      expect(await imported(state)).toEqual({ imported: 0, known: 1 });
      expect(await to.store.readTarget(target)).toEqual(before);
    });

    it('R-1.25 import keeps the earlier timer when the installation has only put passes off', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES, failures: 1, dueAtMs: NOW + 90_000 });
      const hold = await acquired(to.store, target);
      const { lastOutcome } = commitRecord();
      await to.store.defer(hold, { dueAtMs: NOW + 5_000, dueSetAtMs: NOW, wakeSent: false, lastOutcome });
      expect(await imported(await exported(target.cluster))).toEqual({ imported: 1, known: 0 });
      expect(await to.store.readTarget(target)).toMatchObject({ values: VALUES, failures: 1, dueAtMs: NOW + 5_000 });
    });

    it('R-1.5 import leaves an object to the pass that runs', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      const hold = await acquired(to.store, target);
      expect(await imported(await exported(target.cluster))).toEqual({ imported: 0, known: 1 });
      expect(await to.store.commit(hold, commitRecord({ observedVersion: 8 }))).toBe(true);
      expect(await to.store.readTarget(target)).toMatchObject({ observedVersion: 8, values: {} });
    });

    it('R-1.5 import takes back what a pass has stored when that pass ran between its two requests', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      const late = overriding(to.store, {
        async acquire(request) {
          const hold = await acquired(to.store, target);
          await to.store.saveValues(hold, { revision: 9 });
          await to.store.commit(hold, commitRecord({ incarnation: 2, observedVersion: 8, values: { revision: 9 } }));
          return to.store.acquire(request);
        },
      });
      expect(await imported(await exported(target.cluster), late)).toEqual({ imported: 0, known: 1 });
      const state = await to.store.readTarget(target);
      expect(state).toMatchObject({ values: { revision: 9 }, observedVersion: 8, dueAtMs: NOW });
      expect(state?.lease).toBeUndefined();
    });

    it('R-1.8 a pass follows an import when an event came while it wrote', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      const marked = overriding(to.store, {
        async commit(hold, record) {
          await to.store.markHeld(hold, 'any', NOW + 35_000, NOW);
          return to.store.commit(hold, record);
        },
      });
      expect(await imported(await exported(target.cluster), marked)).toEqual({ imported: 1, known: 0 });
      expect(await to.store.readTarget(target)).toMatchObject({ values: VALUES, dueAtMs: NOW, dirty: [] });
    });

    it('R-5.16 import refuses an export of another cluster, and writes nothing', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      await from.store.pinClusterUid(target.cluster, 'one');
      await to.store.pinClusterUid(target.cluster, 'other');
      await expect(imported(await exported(target.cluster))).rejects.toMatchObject({ code: 'ANOTHER_CLUSTER' });
      expect(await to.store.readTarget(target)).toBeUndefined();
    });

    it('R-6.7 a cluster that was paused is paused after an import, under another name too', async () => {
      const target = freshTarget();
      await committed(from.store, target, { values: VALUES });
      await from.store.setPaused(target.cluster, true);
      const cluster = freshCluster();
      expect(await imported(await exported(target.cluster), to.store, cluster)).toEqual({ imported: 1, known: 0 });
      expect(await to.store.readCluster(cluster)).toMatchObject({ paused: true, pauseNote: { by: 'ann@laptop' } });
      expect(await to.store.readTarget({ ...target, cluster })).toMatchObject({ values: VALUES });
    });
  });
}
