// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { LabelSelector, Time } from './meta.ts';

export type ModifyVolumeStatus = {
  status: 'InProgress' | 'Infeasible' | 'Pending';
  targetVolumeAttributesClassName?: string;
};

export type PersistentVolumeClaim = BuiltIn<{
  spec: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}>;

export type PersistentVolumeClaimCondition = {
  lastProbeTime?: Time;
  lastTransitionTime?: Time;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

export type PersistentVolumeClaimSpec = {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  resources?: VolumeResourceRequirements;
  selector?: LabelSelector;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  volumeMode?: 'Block' | 'Filesystem';
  volumeName?: string;
};

export type PersistentVolumeClaimStatus = {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  allocatedResourceStatuses?: Record<
    string,
    | 'ControllerResizeInProgress'
    | 'ControllerResizeInfeasible'
    | 'NodeResizeInProgress'
    | 'NodeResizeInfeasible'
    | 'NodeResizePending'
  >;
  allocatedResources?: Record<string, Quantity>;
  capacity?: Record<string, Quantity>;
  conditions?: PersistentVolumeClaimCondition[];
  currentVolumeAttributesClassName?: string;
  healthStatus?: VolumeHealthStatus;
  modifyVolumeStatus?: ModifyVolumeStatus;
  phase?: 'Bound' | 'Lost' | 'Pending';
};

export type Quantity = number | string;

export type TypedLocalObjectReference = {
  apiGroup?: string;
  kind: string;
  name: string;
};

export type TypedObjectReference = {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
};

export type VolumeHealthCondition = {
  message?: string;
  reason: string;
  status: 'DataLoss' | 'Degraded' | 'Inaccessible';
};

export type VolumeHealthStatus = {
  healthConditions?: VolumeHealthCondition[];
  lastTransitionTime?: Time;
};

export type VolumeResourceRequirements = {
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
};
