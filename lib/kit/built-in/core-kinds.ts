import type { TypedKind } from '../kind/typed-kind.ts';
import type { PersistentVolumeClaim } from './generated/claim.ts';
import type { ConfigMap, Namespace, Secret, Service, ServiceAccount } from './generated/core.ts';
import type { Pod } from './generated/pod.ts';

export type { PersistentVolumeClaim } from './generated/claim.ts';
export type { Container, EnvVar, Probe, VolumeMount } from './generated/container.ts';
export type { ConfigMap, Namespace, Secret, Service, ServiceAccount, ServicePort } from './generated/core.ts';
export type { Pod, PodSpec, PodTemplateSpec as PodTemplate } from './generated/pod.ts';
export type { Volume } from './generated/volume.ts';

const CORE = { group: '', version: 'v1', namespaced: true } as const;

/** `data` is base64, as the API server has it; `stringData` is written only. */
export const Secrets: TypedKind<Secret, 'Secret'> = { ...CORE, plural: 'secrets', kind: 'Secret' };
export const ConfigMaps: TypedKind<ConfigMap, 'ConfigMap'> = { ...CORE, plural: 'configmaps', kind: 'ConfigMap' };
export const Namespaces: TypedKind<Namespace, 'Namespace'> = {
  ...CORE,
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const ServiceAccounts: TypedKind<ServiceAccount, 'ServiceAccount'> = {
  ...CORE,
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
};
export const Services: TypedKind<Service, 'Service'> = { ...CORE, plural: 'services', kind: 'Service' };
export const Pods: TypedKind<Pod, 'Pod'> = { ...CORE, plural: 'pods', kind: 'Pod' };
export const PersistentVolumeClaims: TypedKind<PersistentVolumeClaim, 'PersistentVolumeClaim'> = {
  ...CORE,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
};
