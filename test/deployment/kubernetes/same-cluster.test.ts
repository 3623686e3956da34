import { expect, it } from 'vitest';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { isSameCluster } from '../../../lib/deployment/kubernetes/same-cluster.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';

/** The clusters return these UIDs of kube-system, or do not respond. */
function cluster(uid: string | undefined): ClusterApi {
  const { user } = new World({ controllers: [] });
  const get = async (type: typeof Namespaces, name: { namespace: string; name: string }) => {
    if (uid === undefined) throw new ApiError('Unreachable', 'the API server could not be reached');
    expect([type, name]).toEqual([Namespaces, { namespace: '', name: 'kube-system' }]);
    return { metadata: { name: 'kube-system', uid, resourceVersion: '1' } };
  };
  return Object.assign(user, { get });
}

it.each([
  ['one', 'one', true],
  ['one', 'two', false],
  ['one', undefined, undefined],
  [undefined, 'two', undefined],
])('R-6.8 clusters that say %s and %s are one: %s', async (one, other, same) => {
  expect(await isSameCluster(cluster(one), cluster(other))).toBe(same);
});
