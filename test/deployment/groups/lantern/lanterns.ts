import type { ResourceType } from '../../../../lib/core/resource-type.ts';

export const Lanterns: ResourceType = {
  group: 'test.evenkeel.dev',
  version: 'v1',
  plural: 'lanterns',
  kind: 'Lantern',
  namespaced: true,
};

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const LANTERN_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lanterns.test.evenkeel.dev' },
  spec: {
    group: 'test.evenkeel.dev',
    scope: 'Namespaced',
    names: { plural: 'lanterns', singular: 'lantern', kind: 'Lantern', listKind: 'LanternList', shortNames: ['lan'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};
