import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { World } from '../../lib/testing/world.ts';
import { ownedManifests } from '../support/owned-manifests.ts';
import { WIDGET_DEFINITION, widgetController } from '../support/widget.ts';
import { describeSecondPass } from './second-pass.contract.ts';

describeSecondPass(
  'the embedded API server',
  async () => {
    const world = new World({ controllers: [widgetController()] });
    await world.install([WIDGET_DEFINITION]);
    let namespaces = 0;
    return {
      api: new KubernetesClusterApi({ transport: world.server, clock: world.clock, userAgent: 'evenkeel' }),
      user: world.user,
      async namespace() {
        namespaces += 1;
        const name = `second-pass-${namespaces}`;
        const type = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
        await world.create(type, { metadata: { name } });
        return name;
      },
      close: async () => undefined,
    };
  },
  ownedManifests.filter(({ realOnly }) => realOnly !== true),
);
