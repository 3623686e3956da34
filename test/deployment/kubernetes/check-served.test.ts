import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { checkServed } from '../../../lib/deployment/kubernetes/check-served.ts';
import { ApiError, type ApiErrorReason, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { WIDGET_DEFINITION, Widgets } from '../../support/widget.ts';

const { schema } = WIDGET_DEFINITION.spec.versions[0] as (typeof WIDGET_DEFINITION.spec.versions)[number];

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
  return Object.assign(Object.create(user) as ClusterApi, { list, get: user.get.bind(user) });
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

  it('R-6.4 an API server that cannot be reached does not count as a missing kind', async () => {
    await expect(checkServed(refusing('Unreachable'), [widget])).rejects.toMatchObject({ reason: 'Unreachable' });
  });

  it.each<[string, object[], string[]]>([
    ['one version without it', [{ name: 'v1', served: true, storage: true, schema }], ['widgets.test.evenkeel.dev']],
    [
      'only another version with it',
      [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, subresources: { status: {} }, schema },
      ],
      ['widgets.test.evenkeel.dev'],
    ],
    [
      'it, and another version without it',
      [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      [],
    ],
  ])(
    'R-2.15 R-6.4 a kind is refused without the status subresource when its CRD has %s',
    async (_, versions, refused) => {
      const world = new World({ controllers: [widget] });
      await world.install([{ ...WIDGET_DEFINITION, spec: { ...WIDGET_DEFINITION.spec, versions } }]);
      const check = checkServed(world.user, [widget]);
      if (refused.length === 0) await expect(check).resolves.toBeUndefined();
      else {
        await expect(check).rejects.toMatchObject({
          code: 'STATUS_MISSING',
          message: expect.stringMatching(
            /CRD widgets\.test\.evenkeel\.dev has no status subresource in version v1.*add/,
          ),
        });
      }
    },
  );

  it('R-6.4 a kind of Kubernetes itself needs no CRD', async () => {
    const { user } = new World({ controllers: [widget] });
    await expect(checkServed(user, [{ ...widget, type: Namespaces }])).resolves.toBeUndefined();
  });
});
