// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { Quantity, VolumeHealthCondition } from './claim.ts';
import type { ResourceRequirements } from './container.ts';
import type { Time } from './meta.ts';

export type ContainerExtendedResourceRequest = {
  containerName: string;
  requestName: string;
  resourceName: string;
};

export type ContainerState = {
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
  waiting?: ContainerStateWaiting;
};

export type ContainerStateRunning = {
  startedAt?: Time;
};

export type ContainerStateTerminated = {
  containerID?: string;
  exitCode: number;
  finishedAt?: Time;
  message?: string;
  reason?: string;
  signal?: number;
  startedAt?: Time;
};

export type ContainerStateWaiting = {
  message?: string;
  reason?: string;
};

export type ContainerStatus = {
  allocatedResources?: Record<string, Quantity>;
  allocatedResourcesStatus?: ResourceStatus[];
  containerID?: string;
  image: string;
  imageID: string;
  lastState?: ContainerState;
  name: string;
  ready: boolean;
  resources?: ResourceRequirements;
  restartCount: number;
  started?: boolean;
  state?: ContainerState;
  stopSignal?: string;
  user?: ContainerUser;
  volumeMounts?: VolumeMountStatus[];
};

export type ContainerUser = {
  linux?: LinuxContainerUser;
};

export type HostIP = {
  ip: string;
};

export type ImageVolumeStatus = {
  imageRef: string;
};

export type LinuxContainerUser = {
  gid: number;
  supplementalGroups?: number[];
  uid: number;
};

export type NodeAllocatableMappedResources = {
  name: string;
  quantity: Quantity;
};

export type NodeAllocatableOverheadResources = {
  name: string;
  perContainer?: Quantity;
  perPod?: Quantity;
};

export type NodeAllocatableResourceClaimStatus = {
  containers?: string[];
  mapping?: NodeAllocatableMappedResources[];
  overhead?: NodeAllocatableOverheadResources[];
  resourceClaimName: string;
};

export type PodCondition = {
  lastProbeTime?: Time;
  lastTransitionTime?: Time;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
};

export type PodExtendedResourceClaimStatus = {
  requestMappings: ContainerExtendedResourceRequest[];
  resourceClaimName: string;
};

export type PodIP = {
  ip: string;
};

export type PodResourceClaimStatus = {
  name: string;
  resourceClaimName?: string;
};

export type PodStatus = {
  allocatedResources?: Record<string, Quantity>;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  hostIP?: string;
  hostIPs?: HostIP[];
  initContainerStatuses?: ContainerStatus[];
  message?: string;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  nominatedNodeName?: string;
  observedGeneration?: number;
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown';
  podIP?: string;
  podIPs?: PodIP[];
  qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed';
  reason?: string;
  resize?: string;
  resourceClaimStatuses?: PodResourceClaimStatus[];
  resources?: ResourceRequirements;
  startTime?: Time;
  volumeHealth?: PodVolumeHealth[];
};

export type PodVolumeHealth = {
  healthConditions?: VolumeHealthCondition[];
  lastTransitionTime?: Time;
  name: string;
};

export type ResourceHealth = {
  health?: string;
  message?: string;
  resourceID: string;
};

export type ResourceStatus = {
  name: string;
  resources?: ResourceHealth[];
};

export type VolumeMountStatus = {
  mountPath: string;
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  volumeStatus?: VolumeStatus;
};

export type VolumeStatus = {
  image?: ImageVolumeStatus;
};
