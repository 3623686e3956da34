import { describe, expect, it } from 'vitest';
import { T4Sessions } from '../../lib/controllers/t4/kinds.ts';
import type { OwnerReference } from '../../lib/core/kube-object.ts';
import { isExclusivelyOwned, ownerReference } from '../../lib/kit/owner-references.ts';

const SESSION = { metadata: { name: 'session', uid: 'uid', resourceVersion: '1' } };
const OWN = ownerReference(T4Sessions, SESSION);
const OTHER: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' };

describe('exclusive ownership', () => {
  it.each<[string, OwnerReference[] | undefined, boolean]>([
    ['the one owner, as controller', [OWN], true],
    ['the one owner, by a later version of the group', [{ ...OWN, apiVersion: 'cluster.t4.dev/v2' }], true],
    ['the one owner, by another name', [{ ...OWN, name: 'renamed' }], true],
    ['no owners', undefined, false],
    ['an empty list of owners', [], false],
    ['an owner that is no controller', [{ ...OWN, controller: false }], false],
    ['an owner that does not say whether it is one', [(({ controller: _, ...rest }) => rest)(OWN)], false],
    ['an earlier session of the name', [{ ...OWN, uid: 'earlier' }], false],
    ['another kind of the group', [{ ...OWN, kind: 'T4Workspace' }], false],
    ['the kind of another group', [{ ...OWN, apiVersion: 'cluster.t4.example/v1alpha1' }], false],
    ['the kind of the core group', [{ ...OWN, apiVersion: 'v1' }], false],
    ['a second owner', [OWN, OTHER], false],
    ['a second owner, before it', [OTHER, OWN], false],
    ['two controllers', [OWN, { ...OTHER, controller: true }], false],
    ['itself twice', [OWN, OWN], false],
  ])('R-1.20 R-1.21 a child that names %s is exclusively owned: %s', (_, ownerReferences, expected) => {
    const object = { metadata: { ...SESSION.metadata, name: 'child', ...(ownerReferences && { ownerReferences }) } };
    expect(isExclusivelyOwned(object, T4Sessions, SESSION)).toBe(expected);
  });
});
