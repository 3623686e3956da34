import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';

/** The suite's own kind. Its schema uses each feature that changes objects. */
export const Gadgets: ResourceType = {
  group: 'contract.evenkeel.dev',
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
};

export function gadgetsPath(namespace: string, rest = ''): string {
  return `/apis/contract.evenkeel.dev/v1/namespaces/${namespace}/gadgets${rest}`;
}

export function gadgetDefinition(): DesiredObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.contract.evenkeel.dev' },
    spec: {
      group: 'contract.evenkeel.dev',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  };
}

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    limit: { type: 'integer', default: 10 },
    color: { type: 'string', enum: ['red', 'green', 'blue'], default: 'blue' },
    note: { type: 'string', maxLength: 8, pattern: '^[a-z]*$' },
    nickname: { type: 'string', nullable: true },
    origin: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'origin is immutable' }],
    },
    options: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    when: { type: 'string', format: 'date-time' },
    amount: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    steps: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self.size <= self.limit', message: 'size may not exceed limit', fieldPath: '.size' },
  ],
};

const status = {
  type: 'object',
  properties: {
    observedGeneration: { type: 'integer' },
    phase: { type: 'string' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: { type: 'string' }, status: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};
