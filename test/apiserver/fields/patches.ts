import type { JsonObject } from '../../../lib/apiserver/json.ts';

/** An object that the patches below change. */
export const patchedDeployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'patched',
    labels: { x: '1', y: '2' },
    annotations: { k: 'v' },
    finalizers: ['f.x/a', 'f.x/b', 'f.x/c'],
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: {
        tolerations: [{ key: 'k', operator: 'Exists' }],
        containers: [
          { name: 'a', image: 'a:1', ports: [{ containerPort: 80 }, { containerPort: 81 }] },
          { name: 's', image: 's:1' },
          {
            name: 'b',
            image: 'b:1',
            env: [
              { name: 'X', value: '1' },
              { name: 'Y', value: '2' },
            ],
            args: ['p'],
            volumeMounts: [{ name: 'v', mountPath: '/v' }],
          },
        ],
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', configMap: { name: 'm' } },
        ],
        imagePullSecrets: [{ name: 'p1' }],
        nodeSelector: { q: 'r' },
      },
    },
  },
};

function inTemplate(spec: JsonObject): JsonObject {
  return { spec: { template: { spec } } };
}

/** Strategic merge patches with every directive, and some without any effect. */
export const strategicPatches: readonly JsonObject[] = [
  { metadata: { labels: { x: null, z: '3' } } },
  inTemplate({ tolerations: [{ key: 'l', operator: 'Exists' }] }),
  inTemplate({
    containers: [
      {
        name: 'b',
        image: 'b:2',
        env: [
          { name: 'Z', value: '3' },
          { name: 'X', value: '9' },
        ],
        args: ['q'],
      },
      { name: 'c', image: 'c' },
    ],
  }),
  inTemplate({
    containers: [
      { name: 'a', $patch: 'delete' },
      { name: 'zz', $patch: 'delete' },
    ],
  }),
  inTemplate({ containers: [{ name: 'c', image: 'c' }, { $patch: 'replace' }] }),
  inTemplate({
    '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
    containers: [{ name: 'c', image: 'c' }],
  }),
  inTemplate({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }, { name: 's' }] }),
  inTemplate({
    '$setElementOrder/containers': [{ name: 'b' }],
    containers: [
      { name: 'a', $patch: 'delete' },
      { name: 's', $patch: 'delete' },
    ],
  }),
  inTemplate({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
  { metadata: { finalizers: ['f.x/b', 'f.x/z'] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': ['f.x/a'], '$setElementOrder/finalizers': ['f.x/c', 'f.x/b'] } },
  { metadata: { finalizers: ['f.x/z'], '$setElementOrder/finalizers': ['f.x/z', 'f.x/b', 'f.x/a', 'f.x/c'] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': ['f.x/a'] } },
  { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
  inTemplate({ volumes: [{ name: 'w', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] }),
  { metadata: { labels: { $patch: 'replace', q: '1' } } },
  { metadata: { labels: { $patch: 'delete' } } },
  { metadata: { annotations: null } },
  inTemplate({ nodeSelector: { q: null, n: 'm' } }),
  inTemplate({ nodeSelector: null }),
  inTemplate({ containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'http' }, { containerPort: 82 }] }] }),
  inTemplate({ containers: [{ name: 'a', ports: [{ containerPort: 81, $patch: 'delete' }] }] }),
  inTemplate({
    containers: [{ name: 'b', env: [{ name: 'X', $patch: 'delete' }], volumeMounts: [{ mountPath: '/w', name: 'w' }] }],
  }),
  inTemplate({ containers: [{ name: 'b', '$setElementOrder/env': [{ name: 'Y' }, { name: 'X' }] }] }),
  inTemplate({ imagePullSecrets: [{ name: 'p2' }] }),
  inTemplate({ hostAliases: [{ ip: '1.1.1.1', hostnames: ['h'] }] }),
  inTemplate({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
  inTemplate({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'k', operator: 'Exists' }] } },
        ],
      },
    },
  }),
  { status: { conditions: [{ type: 'X', status: 'True' }] } },
  { spec: { replicas: null } },
  inTemplate({ containers: [{ image: 'x' }] }),
  inTemplate({ $patch: 'explode' }),
  inTemplate({ containers: ['a'] }),
  { spec: { strategy: { $retainKeys: ['x'], type: 'Recreate' } } },
  inTemplate({ containers: [{ name: 'a', $patch: 'nope' }] }),
  { metadata: { '$setElementOrder/finalizers': ['f.x/a'], finalizers: ['f.x/z'] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } },
];
