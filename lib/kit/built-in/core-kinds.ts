import {
  ConfigMaps as untypedConfigMaps,
  Namespaces as untypedNamespaces,
  Secrets as untypedSecrets,
} from '../../core/resource-type.ts';
import type { TypedKind } from '../kind/typed-kind.ts';
import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector, Labels } from './object.ts';
import type { Pod, Resources } from './pod.ts';

const CORE = { group: '', version: 'v1', namespaced: true } as const;

/** `data` is base64, as the API server returns it. `stringData` can only be written. */
export type Secret = BuiltIn<{ type?: string; immutable?: boolean; data?: Labels; stringData?: Labels }>;
/** A ConfigMap (`v1`). `binaryData` is base64. */
export type ConfigMap = BuiltIn<{ immutable?: boolean; data?: Labels; binaryData?: Labels }>;
/** A Namespace (`v1`). */
export type Namespace = BuiltIn<{ spec?: { finalizers?: string[] }; status?: { phase?: string } }>;
/** A ServiceAccount (`v1`). */
export type ServiceAccount = BuiltIn<{
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name: string }[];
  secrets?: { name: string }[];
}>;

/** A Service (`v1`). */
export type Service = BuiltIn<{
  spec: {
    type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    selector?: Labels;
    ports?: ServicePort[];
    clusterIP?: string;
    externalName?: string;
    externalTrafficPolicy?: 'Cluster' | 'Local';
    internalTrafficPolicy?: 'Cluster' | 'Local';
    ipFamilyPolicy?: string;
    loadBalancerClass?: string;
    loadBalancerSourceRanges?: string[];
    publishNotReadyAddresses?: boolean;
    sessionAffinity?: 'None' | 'ClientIP';
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}>;

/** One port of a Service. `targetPort` is a number or the name of a container port. */
export type ServicePort = {
  name?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
  protocol?: 'TCP' | 'UDP' | 'SCTP';
  appProtocol?: string;
};

/** A PersistentVolumeClaim (`v1`). */
export type PersistentVolumeClaim = BuiltIn<{
  spec: {
    accessModes?: string[];
    resources?: { requests?: Resources; limits?: Resources };
    storageClassName?: string;
    volumeMode?: 'Filesystem' | 'Block';
    volumeName?: string;
    selector?: LabelSelector;
  };
  status?: { phase?: string; capacity?: Resources; conditions?: BuiltInCondition[] };
}>;

/** Secrets of the core group. Their values never go into a status, an event or a log. */
export const Secrets: TypedKind<Secret> = untypedSecrets;
/** ConfigMaps of the core group. */
export const ConfigMaps: TypedKind<ConfigMap> = untypedConfigMaps;
/** Namespaces. They are in no namespace: their address has the namespace `""`. */
export const Namespaces: TypedKind<Namespace> = untypedNamespaces;
/** ServiceAccounts of the core group. */
export const ServiceAccounts: TypedKind<ServiceAccount> = {
  ...CORE,
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
};
/** Services of the core group. */
export const Services: TypedKind<Service> = { ...CORE, plural: 'services', kind: 'Service' };
/** Pods of the core group. */
export const Pods: TypedKind<Pod> = { ...CORE, plural: 'pods', kind: 'Pod' };
/** PersistentVolumeClaims of the core group. */
export const PersistentVolumeClaims: TypedKind<PersistentVolumeClaim> = {
  ...CORE,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
};
