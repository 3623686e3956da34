import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { GuardedWrites } from '../../../../lib/testing/simulation/invariants/guarded-writes.ts';
import type { ObjectWrite } from '../../../../lib/testing/simulation/invariants/invariant.ts';
import { newAttempt } from '../../../../lib/testing/simulation/invariants/learn.ts';
import { keyOf, type PassRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';

const NAME = { namespace: 'default', name: 'g' };

function thing(uid: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'test/v1', kind: 'Thing', metadata: { ...NAME, uid, resourceVersion } };
}

describe('writes that land on another object', () => {
  it.each([
    ['the same object in the version that was read', 'a', '7', false, 0],
    ['another version of the same object', 'a', '8', false, 1],
    ['another version of the same object after a restore', 'a', '8', true, 1],
    ['another object of the same version, in a cluster that was never restored', 'b', '7', false, 1],
    ['another object of the same version, which a restored cluster uses again', 'b', '7', true, 0],
    ['another object of another version after a restore', 'b', '8', true, 1],
  ])('R-1.3 checker of writes judges a patch of a pass when it lands on %s', (_, uid, version, wasRestored, count) => {
    const found: string[] = [];
    const attempt = newAttempt({ target: { kind: 'things.test', ...NAME, uid: 'a' } } as PassRecord);
    attempt.latest.set(keyOf('things.test', NAME), thing('a', '7'));
    const checker = new GuardedWrites(
      (_invariant, what) => found.push(what),
      () => wasRestored,
    );
    const write = { call: { method: 'patch' }, kind: 'things.test', ...NAME, before: thing(uid, version) };
    checker.wrote(write as unknown as ObjectWrite, attempt);
    expect(found).toHaveLength(count);
  });
});
