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
export type ConfigMap = BuiltIn<{ immutable?: boolean; data?: Labels; binaryData?: Labels }>;
export type Namespace = BuiltIn<{ spec?: { finalizers?: string[] }; status?: { phase?: string } }>;
export type ServiceAccount = BuiltIn<{
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name: string }[];
  secrets?: { name: string }[];
}>;

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

export type ServicePort = {
  name?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
  protocol?: 'TCP' | 'UDP' | 'SCTP';
  appProtocol?: string;
};

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

export const Secrets: TypedKind<Secret> = untypedSecrets;
export const ConfigMaps: TypedKind<ConfigMap> = untypedConfigMaps;
export const Namespaces: TypedKind<Namespace> = untypedNamespaces;
export const ServiceAccounts: TypedKind<ServiceAccount> = {
  ...CORE,
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
};
export const Services: TypedKind<Service> = { ...CORE, plural: 'services', kind: 'Service' };
export const Pods: TypedKind<Pod> = { ...CORE, plural: 'pods', kind: 'Pod' };
export const PersistentVolumeClaims: TypedKind<PersistentVolumeClaim> = {
  ...CORE,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
};
