// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { Quantity } from './claim.ts';
import type {
  AppArmorProfile,
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EnvFromSource,
  EnvVar,
  Lifecycle,
  Probe,
  ResourceRequirements,
  SELinuxOptions,
  SeccompProfile,
  SecurityContext,
  VolumeDevice,
  VolumeMount,
  WindowsSecurityContextOptions,
} from './container.ts';
import type { ObjectMeta } from './meta.ts';
import type { PodStatus } from './pod-status.ts';
import type { Affinity, Toleration, TopologySpreadConstraint } from './scheduling.ts';
import type { LocalObjectReference, Volume } from './volume.ts';

export type EphemeralContainer = {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  targetContainerName?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
};

export type EvictionResponder = {
  name: string;
  priority: number;
};

export type HostAlias = {
  hostnames?: string[];
  ip: string;
};

export type Pod = BuiltIn<{
  spec: PodSpec;
  status?: PodStatus;
}>;

export type PodDNSConfig = {
  nameservers?: string[];
  options?: PodDNSConfigOption[];
  searches?: string[];
};

export type PodDNSConfigOption = {
  name?: string;
  value?: string;
};

export type PodOS = {
  name: string;
};

export type PodReadinessGate = {
  conditionType: string;
};

export type PodResourceClaim = {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

export type PodSchedulingGate = {
  name: string;
};

export type PodSchedulingGroup = {
  podGroupName?: string;
};

export type PodSecurityContext = {
  appArmorProfile?: AppArmorProfile;
  fsGroup?: number;
  fsGroupChangePolicy?: 'Always' | 'OnRootMismatch';
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxChangePolicy?: string;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: 'Merge' | 'Strict';
  sysctls?: Sysctl[];
  windowsOptions?: WindowsSecurityContextOptions;
};

export type PodSpec = {
  activeDeadlineSeconds?: number;
  affinity?: Affinity;
  automountServiceAccountToken?: boolean;
  containers: Container[];
  dnsConfig?: PodDNSConfig;
  dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  enableServiceLinks?: boolean;
  ephemeralContainers?: EphemeralContainer[];
  evictionResponders?: EvictionResponder[];
  hostAliases?: HostAlias[];
  hostIPC?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostUsers?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  imagePullSecrets?: LocalObjectReference[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  os?: PodOS;
  overhead?: Record<string, Quantity>;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  priority?: number;
  priorityClassName?: string;
  readinessGates?: PodReadinessGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  restartPolicy?: 'Always' | 'Never' | 'OnFailure';
  runtimeClassName?: string;
  schedulerName?: string;
  schedulingGates?: PodSchedulingGate[];
  schedulingGroup?: PodSchedulingGroup;
  securityContext?: PodSecurityContext;
  serviceAccount?: string;
  serviceAccountName?: string;
  setHostnameAsFQDN?: boolean;
  shareProcessNamespace?: boolean;
  subdomain?: string;
  terminationGracePeriodSeconds?: number;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  volumes?: Volume[];
};

export type PodTemplateSpec = {
  metadata?: ObjectMeta;
  spec: PodSpec;
};

export type Sysctl = {
  name: string;
  value: string;
};
