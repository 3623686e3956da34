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

/**
 * Secrets of the core group. `data` is base64. `stringData` is plain text: it can be written, and the API server never
 * returns it.
 */
export const Secrets: TypedKind<Secret, 'Secret'> = { ...CORE, plural: 'secrets', kind: 'Secret' };
/** ConfigMaps of the core group. */
export const ConfigMaps: TypedKind<ConfigMap, 'ConfigMap'> = { ...CORE, plural: 'configmaps', kind: 'ConfigMap' };
/** Namespaces. They are in no namespace: their address has the namespace `""`. */
export const Namespaces: TypedKind<Namespace, 'Namespace'> = {
  ...CORE,
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
/** ServiceAccounts of the core group. */
export const ServiceAccounts: TypedKind<ServiceAccount, 'ServiceAccount'> = {
  ...CORE,
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
};
/** Services of the core group. */
export const Services: TypedKind<Service, 'Service'> = { ...CORE, plural: 'services', kind: 'Service' };
/** Pods of the core group. */
export const Pods: TypedKind<Pod, 'Pod'> = { ...CORE, plural: 'pods', kind: 'Pod' };
/** PersistentVolumeClaims of the core group. */
export const PersistentVolumeClaims: TypedKind<PersistentVolumeClaim, 'PersistentVolumeClaim'> = {
  ...CORE,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
};
