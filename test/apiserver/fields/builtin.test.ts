import { describe, expect, it } from 'vitest';
import { builtinNode } from '../../../lib/apiserver/fields/builtin.ts';
import { applyObject } from '../../../lib/apiserver/fields/fields.ts';
import { type JsonObject, objectAt, objectsAt } from '../../../lib/apiserver/json.ts';

/** The fields that an apply of a new object of the kind owns. */
function owned(apiVersion: string, kind: string, content: JsonObject): JsonObject | undefined {
  const result = applyObject({
    live: undefined,
    applied: { apiVersion, kind, metadata: { name: 'x' }, ...content },
    manager: 'a',
    force: false,
    node: builtinNode(apiVersion, kind),
    apiVersion,
    time: '2026-01-01T00:00:00Z',
  });
  if (!result.ok) throw new Error('conflict');
  return objectAt(objectsAt(objectAt(result.object, 'metadata'), 'managedFields')[0], 'fieldsV1');
}

describe('how built-in kinds merge', () => {
  const rows: [kind: string, content: JsonObject, fields: JsonObject][] = [
    ['v1/ConfigMap', { data: { a: '1' } }, { 'f:data': { 'f:a': {} } }],
    ['v1/Secret', { data: { a: 'MQ==' }, type: 'Opaque' }, { 'f:data': { 'f:a': {} }, 'f:type': {} }],
    [
      'v1/Service',
      { spec: { selector: { a: 'b' }, ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] } },
      {
        'f:spec': {
          'f:ports': {
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
            'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
          },
          'f:selector': {},
        },
      },
    ],
    [
      'apps/v1/Deployment',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [{ name: 'c', env: [{ name: 'E', value: '1' }], resources: { limits: { cpu: '1' } } }],
            },
          },
        },
      },
      {
        'f:spec': {
          'f:selector': {},
          'f:template': {
            'f:metadata': { 'f:labels': { 'f:a': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"c"}': {
                  '.': {},
                  'f:env': { 'k:{"name":"E"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                  'f:name': {},
                  'f:resources': { 'f:limits': { 'f:cpu': {} } },
                },
              },
            },
          },
        },
      },
    ],
    ['v1/Namespace', { metadata: { name: 'x', labels: { a: 'b' } } }, { 'f:metadata': { 'f:labels': { 'f:a': {} } } }],
    [
      'v1/ServiceAccount',
      { imagePullSecrets: [{ name: 'p' }], secrets: [{ name: 's' }] },
      { 'f:imagePullSecrets': {}, 'f:secrets': { 'k:{"name":"s"}': {} } },
    ],
    [
      'v1/PersistentVolumeClaim',
      { spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } } },
      { 'f:spec': { 'f:accessModes': {}, 'f:resources': { 'f:requests': { 'f:storage': {} } } } },
    ],
    [
      'networking.k8s.io/v1/NetworkPolicy',
      { spec: { podSelector: { matchLabels: {} }, ingress: [{ from: [] }], policyTypes: ['Ingress'] } },
      { 'f:spec': { 'f:ingress': {}, 'f:podSelector': {}, 'f:policyTypes': {} } },
    ],
    ['coordination.k8s.io/v1/Lease', { spec: { holderIdentity: 'h' } }, { 'f:spec': { 'f:holderIdentity': {} } }],
    [
      'storage.k8s.io/v1/StorageClass',
      { provisioner: 'p', parameters: { a: 'b' } },
      { 'f:parameters': { 'f:a': {} }, 'f:provisioner': {} },
    ],
    [
      'rbac.authorization.k8s.io/v1/ClusterRoleBinding',
      { roleRef: { name: 'r' }, subjects: [{ name: 's' }] },
      { 'f:roleRef': {}, 'f:subjects': {} },
    ],
    ['v1/ResourceQuota', { spec: { hard: { pods: '1' } } }, { 'f:spec': { 'f:hard': { 'f:pods': {} } } }],
    [
      'example.com/v1/Unknown',
      { spec: { a: { b: 1 }, list: [{ name: 'x' }] } },
      { 'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} }, 'f:list': {} } },
    ],
  ];
  it.each(rows)('R-6.2 %s', (kind, content, fields) => {
    const at = kind.lastIndexOf('/');
    expect(owned(kind.slice(0, at), kind.slice(at + 1), content)).toEqual(fields);
  });
});
