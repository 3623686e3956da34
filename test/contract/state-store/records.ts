import { describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { LeaseHold, StateStore, TargetState } from '../../../lib/ports/state-store.ts';
import { refusedBy, takeLease } from '../../support/take-lease.ts';
import {
  acquired,
  acquireRequest,
  allPages,
  commitRecord,
  committed,
  dueHints,
  freshCluster,
  freshTarget,
  type GetSubject,
  inParallel,
  KEEP_UNTIL,
  KIND,
  NOW,
  uidInShard,
} from './subject.ts';

/** What a pass leaves behind, and how it is read again. */
export function describeRecords(subject: GetSubject): void {
  describe('records', () => {
    it('R-1.7 a commit records everything, and the next acquire returns it', async () => {
      const { store } = subject();
      const target = freshTarget();
      const record = commitRecord({
        incarnation: 3,
        observedVersion: 12,
        observedGeneration: 4,
        failures: 2,
        bucket: { tokens: 2.3333333333333335, atMs: NOW + 5 },
        values: { text: 'ünï "quoted"', empty: '', whole: -3, fraction: 0.1, tiny: 1e-7, yes: true, no: false },
        dueAtMs: NOW + 60_000,
        wakeSent: true,
        versions: {
          'secrets/default/a': 7,
          'configmaps/default/b.c': 0,
          'namespaces//x': 9_007_199_254_740_991,
          [`secrets/${'n'.repeat(63)}/${'a'.repeat(253)}`]: 3,
        },
        edges: ['secrets/default/*', 'secrets/default/a', 'namespaces//x'],
        reconcilerVersion: '2.1',
        pastPasses: '[1764531000000,4,12]\n[1764530000000,0,9,2,"ApiForbidden"]',
        conditionOwners: { Ready: 'engine', 'Ünusual "type"': 'controller' },
      });
      const hold = await acquired(store, target);
      expect(await store.commit(hold, record)).toBe(true);
      const { edges, ...rest } = record;
      const expected = { ...rest, target, epoch: hold.epoch, committedEpoch: hold.epoch, dirty: [] };
      const state = await store.readTarget(target);
      expect(withoutEdges(state)).toEqual(expected);
      expect(sorted(state)).toEqual([...edges].sort());
      const next = await takeLease(store, acquireRequest(target));
      expect(withoutEdges(next)).toEqual({ ...expected, epoch: hold.epoch + 1, lease: next?.lease });
      expect(sorted(next)).toEqual([...edges].sort());
    });

    it('R-1.7 a commit removes the fields that it leaves out', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, {
        observedVersion: 12,
        observedGeneration: 4,
        values: { a: 1 },
        dueAtMs: NOW + 60_000,
        wakeSent: true,
        versions: { 'secrets/default/a': 7 },
        edges: ['secrets/default/a'],
      });
      const hold = await committed(store, target);
      expect(await store.readTarget(target)).toEqual({
        ...commitRecord(),
        target,
        epoch: hold.epoch,
        committedEpoch: hold.epoch,
        dirty: [],
      });
    });

    it('R-1.32 marks of writes are recorded, kept by a deferral, and gone when a commit leaves them out', async () => {
      const { store } = subject();
      const target = freshTarget();
      const marks = ['0123456789ab.a', '0123456789ab.b', 'fedcba987654.a'];
      const marksOf = async () => [...((await store.readTarget(target))?.rememberedWrites ?? [])].sort();
      await committed(store, target, { rememberedWrites: marks });
      expect(await marksOf()).toEqual(marks);
      const hold = await acquired(store, target);
      await store.defer(hold, {
        dueAtMs: NOW,
        dueSetAtMs: NOW,
        wakeSent: false,
        lastOutcome: commitRecord().lastOutcome,
      });
      expect(await marksOf()).toEqual(marks);
      const next = await takeLease(store, acquireRequest(target));
      expect([...(next?.rememberedWrites ?? [])].sort()).toEqual(marks);
      const again = { target, owner: 'worker-1', epoch: next?.epoch ?? 0 };
      expect(await store.commit(again, commitRecord())).toBe(true);
      expect(await store.readTarget(target)).not.toHaveProperty('rememberedWrites');
    });

    it('R-1.32 marks of writes are gone when their target is forgotten and starts again', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { rememberedWrites: ['0123456789ab.a'] });
      const hold = await acquired(store, target);
      expect(await store.forget(hold, KEEP_UNTIL)).toBe(true);
      const next = await takeLease(store, acquireRequest(target, { forgottenEpoch: hold.epoch }));
      expect(next).not.toHaveProperty('rememberedWrites');
    });

    it('R-5.6 a commit sent twice is refused the second time, and its record stays', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      const record = commitRecord({ observedVersion: 5, dueAtMs: NOW + 1_000 });
      expect(await store.commit(hold, record)).toBe(true);
      const after = await store.readTarget(target);
      expect(await store.commit(hold, record)).toBe(false);
      expect(await store.readTarget(target)).toEqual(after);
      expect(after).toMatchObject({ committedEpoch: hold.epoch, epoch: hold.epoch });
      expect(after?.lease).toBeUndefined();
    });

    it('R-1.5 an edge that is named twice is recorded once', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { edges: ['secrets/default/a', 'secrets/default/a'] });
      expect((await store.readTarget(target))?.edges).toEqual(['secrets/default/a']);
    });

    it('R-1.8 thousands of versions and edges are recorded', async () => {
      const { store } = subject();
      const target = freshTarget();
      const objects = Array.from(
        { length: 2_000 },
        (_, index) => `secrets/namespace-${index % 7}/a-rather-long-name.${index}`,
      );
      const versions = Object.fromEntries(objects.map((object, index) => [object, index]));
      await committed(store, target, { versions, edges: objects });
      const state = await store.readTarget(target);
      expect(state?.versions).toEqual(versions);
      expect(sorted(state)).toEqual([...objects].sort());
    });

    it('R-5.4 a record beyond what an item holds is an infrastructure failure and changes nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      const before = await store.readTarget(target);
      const objects = Array.from({ length: 2_000 }, (_, index) => `secrets/default/${'a'.repeat(200)}-${index}`);
      const versions = Object.fromEntries(objects.map((object) => [object, 1]));
      await expect(store.commit(hold, commitRecord({ versions, edges: objects }))).rejects.toThrow(InfrastructureError);
      expect(await store.readTarget(target)).toEqual(before);
    });

    it('R-1.7 a pass that is put off keeps what was observed, gives the lease back and clears the marks', async () => {
      const { store } = subject();
      const target = freshTarget();
      const observed = { observedVersion: 7, observedGeneration: 2, failures: 3, versions: { 'secrets/default/a': 7 } };
      await committed(store, target, { ...observed, edges: ['secrets/default/a'], values: { step: 1 } });
      const hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 35_000, NOW);
      const lastOutcome = { ...commitRecord().lastOutcome, type: 'paused' as const };
      const bucket = { tokens: 0.5, atMs: NOW + 9 };
      expect(
        await store.defer(hold, { dueAtMs: NOW + 9_000, dueSetAtMs: NOW, wakeSent: true, bucket, lastOutcome }),
      ).toBe(true);
      const state = await store.readTarget(target);
      expect(state).toMatchObject({
        ...observed,
        edges: ['secrets/default/a'],
        values: { step: 1 },
        dueAtMs: NOW + 9_000,
        wakeSent: true,
        bucket,
        lastOutcome,
        committedEpoch: hold.epoch,
        dirty: [],
      });
      expect(state?.lease).toBeUndefined();
    });

    it('R-1.7 putting off without a bucket leaves the bucket', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { bucket: { tokens: 4, atMs: NOW } });
      const hold = await acquired(store, target);
      await store.defer(hold, {
        dueAtMs: NOW,
        dueSetAtMs: NOW,
        wakeSent: false,
        lastOutcome: commitRecord().lastOutcome,
      });
      expect((await store.readTarget(target))?.bucket).toEqual({ tokens: 4, atMs: NOW });
    });

    it('R-1.20 values that were saved during a pass outlive its crash', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { values: { old: 1 }, observedVersion: 4 });
      const hold = await acquired(store, target, { leaseUntilMs: NOW - 1 });
      expect(await store.saveValues(hold, { realm: 'apps', created: true })).toBe(true);
      const next = await takeLease(store, acquireRequest(target, { owner: 'worker-2' }));
      expect(next).toMatchObject({ values: { realm: 'apps', created: true }, observedVersion: 4 });
    });

    it('R-1.11 a forgotten target is absent for every read, and nothing is written to it', async () => {
      const { store } = subject();
      const hold = await forgottenTarget(store);
      const { target } = hold;
      expect(await store.readTarget(target)).toBeUndefined();
      expect(await store.readTargets([target])).toEqual([]);
      const shards = Array.from({ length: store.shards }, (_, shard) => store.inventory(target.cluster, KIND, shard));
      expect((await Promise.all(shards)).flatMap(({ items }) => items)).toEqual([]);
      expect(await dueHints(store, target.cluster, NOW + 60_000)).toEqual([]);
      expect(await store.forget(hold, KEEP_UNTIL)).toBe(false);
      expect(await store.markHeld(hold, 'any', NOW, NOW)).toBe(false);
      expect(await store.commit(hold, commitRecord())).toBe(false);
      expect(await store.pushDue(target, { dueAtMs: NOW + 1, epoch: hold.epoch }, NOW + 2, NOW)).toBe(false);
      expect(await refusedBy(store, acquireRequest(target))).toEqual({ type: 'forgotten', epoch: hold.epoch });
    });

    it('R-1.11 a target that comes back begins anew, and never repeats an epoch', async () => {
      const { store } = subject();
      const { target, epoch } = await forgottenTarget(store);
      // A clock that goes back, or a request that was under way for long, must not make its epochs go back.
      const request = acquireRequest(target, { nowMs: NOW - 60_000, forgottenEpoch: epoch });
      const state = await takeLease(store, request);
      expect(state).toEqual({
        target,
        lease: { owner: request.owner, attempt: request.attempt, untilMs: request.leaseUntilMs },
        epoch: epoch + 1,
        committedEpoch: epoch,
        dirty: [],
        failures: 0,
        values: {},
        wakeSent: false,
        versions: {},
        edges: [],
      });
      expect(await store.readTarget(target)).toEqual(state);
    });

    it('R-1.11 a request that set out before its target was forgotten takes no lease of it', async () => {
      const { store } = subject();
      const first = await forgottenTarget(store);
      const { target } = first;
      expect(await takeLease(store, acquireRequest(target))).toBeUndefined();
      const again = await acquired(store, target, { forgottenEpoch: first.epoch });
      expect(await store.forget(again, KEEP_UNTIL)).toBe(true);
      const late = acquireRequest(target, { forgottenEpoch: first.epoch });
      expect(await refusedBy(store, late)).toEqual({ type: 'forgotten', epoch: again.epoch });
    });

    it('R-1.11 a target that is known, or never was, is taken by a request that found it forgotten before', async () => {
      const { store } = subject();
      const target = freshTarget();
      expect(await takeLease(store, acquireRequest(target, { forgottenEpoch: 7 }))).toMatchObject({ epoch: NOW + 1 });
      const later = { nowMs: NOW + 60_000, leaseUntilMs: NOW + 90_000, forgottenEpoch: 7 };
      expect(await takeLease(store, acquireRequest(target, later))).toMatchObject({ epoch: NOW + 2 });
    });

    it('R-5.8 reads many targets at once, absent ones left out, one named twice once', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const targets = Array.from({ length: 60 }, () => freshTarget({ cluster }));
      await inParallel(targets, (target) => committed(store, target, { observedVersion: 3 }));
      const absent = Array.from({ length: 39 }, () => freshTarget({ cluster }));
      const [first] = targets;
      const states = await store.readTargets([...targets, ...absent, ...(first === undefined ? [] : [first])]);
      expect(states.map(({ target }) => target.uid).sort()).toEqual(targets.map(({ uid }) => uid).sort());
      expect(states.every((state) => state.observedVersion === 3)).toBe(true);
      expect(await store.readTargets([])).toEqual([]);
    });

    it('R-5.8 refuses to read more than 100 targets at once', async () => {
      const targets = Array.from({ length: 101 }, () => freshTarget());
      await expect(subject().store.readTargets(targets)).rejects.toThrow(InfrastructureError);
    });

    it('R-5.8 the inventory of a kind holds its targets of one cluster, each in one shard', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const own = Array.from({ length: 25 }, () => freshTarget({ cluster }));
      const others = [freshTarget({ cluster: `${cluster}0` }), freshTarget({ cluster, kind: `${KIND}.x` })];
      await inParallel([...own, ...others], (target) => committed(store, target));
      const found: TargetState[] = [];
      for (let shard = 0; shard < store.shards; shard += 1) {
        for await (const state of allPages((after) => store.inventory(cluster, KIND, shard, after))) found.push(state);
      }
      expect(found.map(({ target }) => target.uid).sort()).toEqual(own.map(({ uid }) => uid).sort());
    });

    it('R-5.8 an inventory larger than a page is read to its end', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const uids = Array.from({ length: 24 }, () => uidInShard(0, store.shards));
      const edges = Array.from({ length: 400 }, (_, index) => `secrets/default/${'a'.repeat(200)}${index}`);
      await inParallel(uids, (uid) => committed(store, freshTarget({ cluster, uid }), { edges }));
      const first = await store.inventory(cluster, KIND, 0);
      expect(first.next).toBeDefined();
      const found: string[] = [];
      for await (const state of allPages((after) => store.inventory(cluster, KIND, 0, after))) {
        found.push(state.target.uid);
      }
      expect(found.sort()).toEqual([...uids].sort());
    });
  });
}

function withoutEdges(state: TargetState | undefined): Omit<TargetState, 'edges'> | undefined {
  if (state === undefined) return undefined;
  const { edges: _edges, ...rest } = state;
  return rest;
}

function sorted(state: TargetState | undefined): string[] {
  return [...(state?.edges ?? [])].sort();
}

/** A target with all that a pass records, which was then forgotten, under that hold. */
async function forgottenTarget(store: StateStore): Promise<LeaseHold> {
  const target = freshTarget();
  await committed(store, target, {
    observedVersion: 4,
    observedGeneration: 2,
    failures: 3,
    values: { realm: 'apps' },
    dueAtMs: NOW + 1,
    wakeSent: true,
    versions: { 'secrets/default/a': 1, [`secrets/${'n'.repeat(63)}/${'a'.repeat(253)}`]: 2 },
    edges: ['secrets/default/a'],
  });
  const hold = await acquired(store, target);
  if (!(await store.forget(hold, KEEP_UNTIL))) throw new Error('the target was not forgotten');
  return hold;
}
