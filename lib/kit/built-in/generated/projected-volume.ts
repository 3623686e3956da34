// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { Quantity } from './claim.ts';
import type { LabelSelector } from './meta.ts';

export type ClusterTrustBundleProjection = {
  labelSelector?: LabelSelector;
  name?: string;
  optional?: boolean;
  path: string;
  signerName?: string;
  user?: number;
};

export type ConfigMapProjection = {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

export type ConfigMapVolumeSource = {
  defaultMode?: number;
  defaultUser?: number;
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[];
};

export type DownwardAPIVolumeFile = {
  fieldRef?: ObjectFieldSelector;
  mode?: number;
  path: string;
  resourceFieldRef?: ResourceFieldSelector;
  user?: number;
};

export type DownwardAPIVolumeSource = {
  defaultMode?: number;
  defaultUser?: number;
  items?: DownwardAPIVolumeFile[];
};

export type KeyToPath = {
  key: string;
  mode?: number;
  path: string;
  user?: number;
};

export type ObjectFieldSelector = {
  apiVersion?: string;
  fieldPath: string;
};

export type PodCertificateProjection = {
  certificateChainPath?: string;
  credentialBundlePath?: string;
  keyPath?: string;
  keyType: string;
  maxExpirationSeconds?: number;
  signerName: string;
  user?: number;
  userAnnotations?: Record<string, string>;
};

export type ProjectedVolumeSource = {
  defaultMode?: number;
  defaultUser?: number;
  sources?: VolumeProjection[];
};

export type ResourceFieldSelector = {
  containerName?: string;
  divisor?: Quantity;
  resource: string;
};

export type SecretProjection = {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
};

export type SecretVolumeSource = {
  defaultMode?: number;
  defaultUser?: number;
  items?: KeyToPath[];
  optional?: boolean;
  secretName?: string;
};

export type ServiceAccountTokenProjection = {
  audience?: string;
  expirationSeconds?: number;
  path: string;
  user?: number;
};

export type VolumeProjection = {
  clusterTrustBundle?: ClusterTrustBundleProjection;
  configMap?: ConfigMapProjection;
  downwardAPI?: DownwardAPIProjection;
  podCertificate?: PodCertificateProjection;
  secret?: SecretProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
};
