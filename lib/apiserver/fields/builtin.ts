import { type SchemaNode, UNTYPED } from '../schema/node.ts';
import { withObjectMeta } from '../schema/object-meta.ts';
import { persistentVolumeClaimSpec, podSpec, podStatus, podTemplate } from './builtin/pod.ts';
import {
  atomic,
  atomicMap,
  conditions,
  type Fields,
  implicit,
  keyDefault,
  list,
  listMap,
  map,
  set,
  struct,
} from './builtin/shapes.ts';

/** A struct that every object of the kind has. */
function spec(fields: Fields): SchemaNode {
  return implicit(struct(fields));
}

const secretData: Fields = { data: map, stringData: map };
const roleBinding: Fields = { roleRef: atomic, subjects: list };

const workloadSpec = {
  selector: atomic,
  ordinals: struct({}),
  persistentVolumeClaimRetentionPolicy: struct({}),
  strategy: implicit(struct({ rollingUpdate: struct({}) })),
  updateStrategy: implicit(struct({ rollingUpdate: struct({}) })),
  template: podTemplate,
  volumeClaimTemplates: list,
};

/**
 * The merge rules of the built-in kinds, by `apiVersion/kind`. They are the list and struct types of the Kubernetes
 * API's Go declarations, and agree with the strategies of strategic merge patches.
 */
const KINDS: Readonly<Record<string, Fields>> = {
  'v1/ConfigMap': { data: map, binaryData: map },
  'v1/Secret': secretData,
  'v1/Service': {
    spec: spec({
      clusterIPs: list,
      externalIPs: list,
      ipFamilies: list,
      loadBalancerSourceRanges: list,
      ports: listMap(['port', 'protocol'], struct({ protocol: keyDefault('TCP') })),
      selector: atomicMap,
      sessionAffinityConfig: struct({ clientIP: struct({}) }),
    }),
    status: struct({ conditions, loadBalancer: struct({ ingress: list }) }),
  },
  'v1/ServiceAccount': { imagePullSecrets: list, secrets: listMap(['name'], atomic) },
  'v1/Pod': { spec: podSpec, status: podStatus },
  'v1/PersistentVolumeClaim': {
    spec: persistentVolumeClaimSpec,
    status: struct({
      accessModes: list,
      allocatedResources: map,
      capacity: map,
      conditions,
      modifyVolumeStatus: struct({}),
    }),
  },
  'v1/Namespace': { spec: spec({ finalizers: list }), status: struct({ conditions }) },
  'v1/Event': { involvedObject: atomic, related: atomic, series: struct({}), source: implicit(struct({})) },
  'events.k8s.io/v1/Event': {
    deprecatedSource: implicit(struct({})),
    regarding: atomic,
    related: atomic,
    series: struct({}),
  },
  'v1/ResourceQuota': {
    spec: spec({ hard: map, scopeSelector: atomic, scopes: list }),
    status: struct({ hard: map, used: map }),
  },
  'v1/Node': {
    spec: spec({ podCIDRs: set, taints: list }),
    status: struct({ addresses: listMap(['type'], struct({})), allocatable: map, capacity: map, conditions }),
  },
  'v1/PersistentVolume': {
    spec: spec({
      accessModes: list,
      capacity: map,
      claimRef: struct({}),
      csi: struct({ volumeAttributes: map }),
      hostPath: struct({}),
      local: struct({}),
      mountOptions: list,
      nfs: struct({}),
      nodeAffinity: struct({ required: atomic }),
    }),
  },
  'apps/v1/Deployment': { spec: implicit(struct(workloadSpec)), status: struct({ conditions }) },
  'apps/v1/StatefulSet': { spec: implicit(struct(workloadSpec)), status: struct({ conditions }) },
  'apps/v1/DaemonSet': { spec: implicit(struct(workloadSpec)), status: struct({ conditions }) },
  'apps/v1/ReplicaSet': { spec: implicit(struct(workloadSpec)), status: struct({ conditions }) },
  'batch/v1/Job': {
    spec: spec({
      podFailurePolicy: struct({ rules: list }),
      selector: atomic,
      successPolicy: struct({ rules: list }),
      template: podTemplate,
    }),
    status: struct({ conditions: list }),
  },
  'networking.k8s.io/v1/NetworkPolicy': {
    spec: spec({ egress: list, ingress: list, podSelector: atomic, policyTypes: list }),
  },
  'coordination.k8s.io/v1/Lease': { spec: spec({}) },
  'storage.k8s.io/v1/StorageClass': { allowedTopologies: list, mountOptions: list, parameters: map },
  'rbac.authorization.k8s.io/v1/Role': { rules: list },
  'rbac.authorization.k8s.io/v1/ClusterRole': { aggregationRule: struct({ clusterRoleSelectors: list }), rules: list },
  'rbac.authorization.k8s.io/v1/RoleBinding': roleBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': roleBinding,
  'apiextensions.k8s.io/v1/CustomResourceDefinition': {
    spec: spec({
      conversion: struct({
        webhook: struct({ clientConfig: struct({ service: struct({}) }), conversionReviewVersions: list }),
      }),
      names: spec({ categories: list, shortNames: list }),
      versions: list,
    }),
    status: struct({
      acceptedNames: struct({ categories: list, shortNames: list }),
      conditions,
      storedVersions: list,
    }),
  },
};

const NODES: ReadonlyMap<string, SchemaNode> = new Map(
  Object.entries(KINDS).map(([kind, fields]) => [kind, withObjectMeta(struct(fields))]),
);

/** For an unknown kind: members merge one by one, and lists as a whole. */
const DEDUCED: SchemaNode = withObjectMeta(UNTYPED);

/** The structure of a built-in kind, for server-side apply and strategic merge patches. */
export function builtinNode(apiVersion: string, kind: string): SchemaNode {
  return NODES.get(`${apiVersion}/${kind}`) ?? DEDUCED;
}
