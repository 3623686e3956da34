import { describe, expect, it } from 'vitest';
import { checkServed } from '../../../functions/kubernetes/check-served.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ApiError, type ApiErrorReason, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { Widgets } from '../../support/widget.ts';

const widget: Controller = {
  name: 'widget',
  group: 'widget',
  type: Widgets,
  owns: [],
  reads: [],
  version: '1',
  reconcile: async () => ({ outcome: settled() }),
};

/** A cluster whose lists are all answered with an error. */
function refusing(reason: ApiErrorReason): ClusterApi {
  const { user } = new World({ controllers: [widget] });
  const list = async () => {
    throw new ApiError(reason, reason);
  };
  return Object.assign(Object.create(user) as ClusterApi, { list });
}

describe('checkServed', () => {
  it('R-6.4 a kind that the cluster does not serve is named with its controller and what to do', async () => {
    const { user } = new World({ controllers: [widget] });
    await expect(checkServed(user, [widget])).rejects.toMatchObject({
      code: 'DEFINITIONS_MISSING',
      message: expect.stringMatching(/widgets\.\S+ in \S+, which controller widget reconciles\. Export the CRD/),
    });
  });

  it('R-6.7 whoever may not list a kind over all namespaces is not kept from reconciling some', async () => {
    await expect(checkServed(refusing('Forbidden'), [widget])).resolves.toBeUndefined();
  });

  it('R-6.4 an API server that cannot be reached is no kind that is missing', async () => {
    await expect(checkServed(refusing('Unreachable'), [widget])).rejects.toMatchObject({ reason: 'Unreachable' });
  });
});
