import { describe, expect, it } from 'vitest';
import { ANY_MARK } from '../../../lib/core/observation.ts';
import { takeLease } from '../../support/take-lease.ts';
import {
  acquired,
  acquireRequest,
  commitRecord,
  committed,
  freshTarget,
  type GetSubject,
  KEEP_UNTIL,
  NOW,
} from './subject.ts';

/** Namespaces and names other than the target's; cluster-scoped targets have no namespace. */
const ELSEWHERE = [
  ['another namespace', { namespace: 'elsewhere', name: 'web' }],
  ['another name', { namespace: 'default', name: 'host.example-1' }],
  ['no namespace', { namespace: '', name: 'web' }],
] as const;

/** Where a target lies, and whose word for it counts. */
export function describeAddresses(subject: GetSubject): void {
  describe('the address of a target', () => {
    it.each(ELSEWHERE)('R-1.28 an acquire that names %s records it in an item that it begins', async (_, address) => {
      const { store } = subject();
      const target = freshTarget(address);
      expect(await takeLease(store, acquireRequest(target))).toMatchObject({ target });
      expect((await store.readTarget(target))?.target).toEqual(target);
    });

    it.each(ELSEWHERE)('R-1.28 an acquire that names %s leaves an item where it is', async (_, address) => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 3 });
      const state = await takeLease(store, acquireRequest({ ...target, ...address }));
      expect(state).toMatchObject({ target, observedVersion: 3 });
      expect(await store.readTarget(target)).toEqual(state);
    });

    it.each(ELSEWHERE)('R-1.28 an acquire that repeats the API server records %s', async (_, address) => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 3 });
      const named = { ...target, ...address };
      const state = await takeLease(store, acquireRequest(named, { ownAddress: true }));
      expect(state).toMatchObject({ target: named, observedVersion: 3 });
      expect(await store.readTarget(target)).toEqual(state);
      const [inventoried] = await store.readTargets([target]);
      expect(inventoried?.target).toEqual(named);
    });

    it('R-1.28 a refused acquire records nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      await acquired(store, target);
      const named = { ...target, name: 'other' };
      expect(await takeLease(store, acquireRequest(named, { ownAddress: true, attempt: 'a-2' }))).toBeUndefined();
      expect((await store.readTarget(target))?.target).toEqual(target);
    });

    it.each([
      ['somebody', false],
      ['the API server', true],
    ])(
      'R-1.28 a forgotten target that comes back begins where the acquire says, which repeats %s',
      async (_, ownAddress) => {
        const { store } = subject();
        const target = freshTarget();
        const hold = await acquired(store, target);
        expect(await store.forget(hold, KEEP_UNTIL)).toBe(true);
        const named = { ...target, namespace: 'elsewhere' };
        const request = acquireRequest(named, { ownAddress, forgottenEpoch: hold.epoch });
        expect(await takeLease(store, request)).toMatchObject({ target: named });
      },
    );

    it.each(ELSEWHERE)('R-1.28 a mark without an address keeps the address of the item: %s', async (_, address) => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      expect(await store.markHeld({ ...hold, target: { ...target, ...address } }, ANY_MARK, NOW + 35_000, NOW)).toBe(
        true,
      );
      expect(await store.readTarget(target)).toMatchObject({ target, dirty: [ANY_MARK], dueAtMs: NOW + 35_000 });
    });

    it.each(ELSEWHERE)(
      'R-1.28 a mark with the address records it, and the run-again returns it: %s',
      async (_, address) => {
        const { store } = subject();
        const target = freshTarget();
        const named = { ...target, ...address };
        const hold = await acquired(store, target);
        expect(await store.markHeld(hold, ANY_MARK, NOW + 35_000, NOW, named)).toBe(true);
        const renewed = await store.renewAttempt(hold, 'attempt-2');
        expect(renewed).toMatchObject({ target: named, dirty: [], dueAtMs: NOW + 35_000 });
        expect(await store.commit(hold, commitRecord())).toBe(true);
        expect((await store.readTarget(target))?.target).toEqual(named);
      },
    );

    it('R-1.28 a mark that is refused records nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await committed(store, target);
      expect(await store.markHeld(hold, ANY_MARK, NOW, NOW, { namespace: 'elsewhere', name: 'web' })).toBe(false);
      expect((await store.readTarget(target))?.target).toEqual(target);
    });

    it('R-1.28 R-5.11 recording an address costs no other request', async () => {
      const { store, requests } = subject();
      const target = freshTarget();
      const from = requests.length;
      const hold = await acquired(store, target, { ownAddress: true });
      await store.markHeld(hold, ANY_MARK, NOW + 35_000, NOW, target);
      expect(requests.slice(from).map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
    });
  });
}
