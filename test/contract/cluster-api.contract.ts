import { afterAll, beforeAll, describe } from 'vitest';
import { describeApply } from './cluster-api/apply.ts';
import {
  describeDeployments,
  describeEmptyValues,
  describeEvents,
  describeEventText,
  describeLeases,
} from './cluster-api/built-in-kinds.ts';
import { describeDefinitions } from './cluster-api/definitions.ts';
import {
  describeDeletion,
  describeFinalizers,
  describeGarbageCollection,
  describeNamespaces,
} from './cluster-api/deletion.ts';
import {
  describeAuthentication,
  describeAuthorization,
  describeErrorBodies,
  describeMissingKinds,
} from './cluster-api/errors.ts';
import { describeLists } from './cluster-api/lists.ts';
import { describeGenerations, describeObjects } from './cluster-api/objects.ts';
import {
  describeJsonPatches,
  describeMergePatches,
  describeStatus,
  describeStrategicPatches,
  describeUpdates,
} from './cluster-api/patches.ts';
import { describeReviews, describeTokenRequests } from './cluster-api/reviews.ts';
import { describeScale } from './cluster-api/scale.ts';
import { describeDefaulting, describePruning, describeValidation } from './cluster-api/schema.ts';
import { describeWatches } from './cluster-api/watches.ts';
import { describeWideIntegers } from './cluster-api/wide-integers.ts';
import { type ClusterApiTarget, World } from './cluster-api/world.ts';

export type { ClusterApiTarget } from './cluster-api/world.ts';

/**
 * The behaviour of Kubernetes that this project relies on, as one suite for every API server and every way to reach it.
 * The real kube-apiserver defines what is correct; the embedded one must do the same.
 * @param authorizes whether the target has a user without any permission.
 */
export function describeClusterApi(
  name: string,
  setup: () => Promise<ClusterApiTarget>,
  { authorizes = false }: { authorizes?: boolean } = {},
): void {
  describe(name, () => {
    const world = new World();
    beforeAll(async () => world.open(await setup()));
    afterAll(() => world.close());
    const areas = [
      describeObjects,
      describeGenerations,
      describeMergePatches,
      describeJsonPatches,
      describeStatus,
      describeUpdates,
      describeStrategicPatches,
      describeValidation,
      describeDefaulting,
      describePruning,
      describeDeletion,
      describeFinalizers,
      describeGarbageCollection,
      describeNamespaces,
      describeLists,
      describeWatches,
      describeApply,
      describeDefinitions,
      describeEvents,
      describeEventText,
      describeLeases,
      describeDeployments,
      describeEmptyValues,
      describeWideIntegers,
      describeScale,
      describeReviews,
      describeTokenRequests,
      describeMissingKinds,
      describeErrorBodies,
      describeAuthentication,
    ];
    if (authorizes) areas.push(describeAuthorization);
    for (const describeArea of areas) describeArea(() => world);
  });
}
