// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { PersistentVolumeClaimSpec, Quantity } from './claim.ts';
import type { ObjectMeta } from './meta.ts';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from './projected-volume.ts';

export type AWSElasticBlockStoreVolumeSource = {
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  volumeID: string;
};

export type AzureDiskVolumeSource = {
  cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite';
  diskName: string;
  diskURI: string;
  fsType?: string;
  kind?: 'Dedicated' | 'Managed' | 'Shared';
  readOnly?: boolean;
};

export type AzureFileVolumeSource = {
  readOnly?: boolean;
  secretName: string;
  shareName: string;
};

export type CSIVolumeSource = {
  driver: string;
  fsType?: string;
  nodePublishSecretRef?: LocalObjectReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
};

export type CephFSVolumeSource = {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  user?: string;
};

export type CinderVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeID: string;
};

export type EmptyDirVolumeSource = {
  medium?: string;
  mode?: number;
  sizeLimit?: Quantity;
};

export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
};

export type FCVolumeSource = {
  fsType?: string;
  lun?: number;
  readOnly?: boolean;
  targetWWNs?: string[];
  wwids?: string[];
};

export type FlexVolumeSource = {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
};

export type FlockerVolumeSource = {
  datasetName?: string;
  datasetUUID?: string;
};

export type GCEPersistentDiskVolumeSource = {
  fsType?: string;
  partition?: number;
  pdName: string;
  readOnly?: boolean;
};

export type GitRepoVolumeSource = {
  directory?: string;
  repository: string;
  revision?: string;
};

export type GlusterfsVolumeSource = {
  endpoints: string;
  path: string;
  readOnly?: boolean;
};

export type HostPathVolumeSource = {
  path: string;
  type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket';
};

export type ISCSIVolumeSource = {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  targetPortal: string;
};

export type ImageVolumeSource = {
  pullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  reference?: string;
};

export type LocalObjectReference = {
  name?: string;
};

export type NFSVolumeSource = {
  path: string;
  readOnly?: boolean;
  server: string;
};

export type PersistentVolumeClaimTemplate = {
  metadata?: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
};

export type PersistentVolumeClaimVolumeSource = {
  claimName: string;
  readOnly?: boolean;
};

export type PhotonPersistentDiskVolumeSource = {
  fsType?: string;
  pdID: string;
};

export type PortworxVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  volumeID: string;
};

export type QuobyteVolumeSource = {
  group?: string;
  readOnly?: boolean;
  registry: string;
  tenant?: string;
  user?: string;
  volume: string;
};

export type RBDVolumeSource = {
  fsType?: string;
  image: string;
  keyring?: string;
  monitors: string[];
  pool?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  user?: string;
};

export type ScaleIOVolumeSource = {
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean;
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
};

export type StorageOSVolumeSource = {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
};

export type Volume = {
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFileVolumeSource;
  cephfs?: CephFSVolumeSource;
  cinder?: CinderVolumeSource;
  configMap?: ConfigMapVolumeSource;
  csi?: CSIVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  hostPath?: HostPathVolumeSource;
  image?: ImageVolumeSource;
  iscsi?: ISCSIVolumeSource;
  name: string;
  nfs?: NFSVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  projected?: ProjectedVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  secret?: SecretVolumeSource;
  storageos?: StorageOSVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
};

export type VsphereVirtualDiskVolumeSource = {
  fsType?: string;
  storagePolicyID?: string;
  storagePolicyName?: string;
  volumePath: string;
};
