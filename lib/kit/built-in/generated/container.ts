// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { Quantity } from './claim.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from './projected-volume.ts';

export type AppArmorProfile = {
  localhostProfile?: string;
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
};

export type Capabilities = {
  add?: string[];
  drop?: string[];
};

export type ConfigMapEnvSource = {
  name?: string;
  optional?: boolean;
};

export type ConfigMapKeySelector = {
  key: string;
  name?: string;
  optional?: boolean;
};

export type Container = {
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
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
};

export type ContainerPort = {
  containerPort: number;
  hostIP?: string;
  hostPort?: number;
  name?: string;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
};

export type ContainerResizePolicy = {
  resourceName: string;
  restartPolicy: string;
};

export type ContainerRestartRule = {
  action: string;
  exitCodes?: ContainerRestartRuleOnExitCodes;
};

export type ContainerRestartRuleOnExitCodes = {
  operator: string;
  values?: number[];
};

export type EnvFromSource = {
  configMapRef?: ConfigMapEnvSource;
  prefix?: string;
  secretRef?: SecretEnvSource;
};

export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
};

export type EnvVarSource = {
  configMapKeyRef?: ConfigMapKeySelector;
  fieldRef?: ObjectFieldSelector;
  fileKeyRef?: FileKeySelector;
  resourceFieldRef?: ResourceFieldSelector;
  secretKeyRef?: SecretKeySelector;
};

export type ExecAction = {
  command?: string[];
};

export type FileKeySelector = {
  key: string;
  optional?: boolean;
  path: string;
  volumeName: string;
};

export type GRPCAction = {
  mode?: 'Plaintext' | 'TLS';
  port: number;
  service?: string;
};

export type HTTPGetAction = {
  host?: string;
  httpHeaders?: HTTPHeader[];
  path?: string;
  port: IntOrString;
  protocol?: 'HTTP1' | 'HTTP2';
  scheme?: 'HTTP' | 'HTTPS';
};

export type HTTPHeader = {
  name: string;
  value: string;
};

export type IntOrString = number | string;

export type Lifecycle = {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  stopSignal?: string;
};

export type LifecycleHandler = {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  sleep?: SleepAction;
  tcpSocket?: TCPSocketAction;
};

export type Probe = {
  exec?: ExecAction;
  failureThreshold?: number;
  grpc?: GRPCAction;
  httpGet?: HTTPGetAction;
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  tcpSocket?: TCPSocketAction;
  terminationGracePeriodSeconds?: number;
  timeoutSeconds?: number;
};

export type ResourceClaim = {
  name: string;
  request?: string;
};

export type ResourceRequirements = {
  claims?: ResourceClaim[];
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
};

export type SELinuxOptions = {
  level?: string;
  role?: string;
  type?: string;
  user?: string;
};

export type SeccompProfile = {
  localhostProfile?: string;
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
};

export type SecretEnvSource = {
  name?: string;
  optional?: boolean;
};

export type SecretKeySelector = {
  key: string;
  name?: string;
  optional?: boolean;
};

export type SecurityContext = {
  allowPrivilegeEscalation?: boolean;
  appArmorProfile?: AppArmorProfile;
  capabilities?: Capabilities;
  privileged?: boolean;
  procMount?: 'Default' | 'Unmasked';
  readOnlyRootFilesystem?: boolean;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  windowsOptions?: WindowsSecurityContextOptions;
};

export type SleepAction = {
  seconds: number;
};

export type TCPSocketAction = {
  host?: string;
  port: IntOrString;
};

export type VolumeDevice = {
  devicePath: string;
  name: string;
};

export type VolumeMount = {
  bindMountOptions?: string[];
  mountPath: string;
  mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None';
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  subPath?: string;
  subPathExpr?: string;
};

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpec?: string;
  gmsaCredentialSpecName?: string;
  hostProcess?: boolean;
  runAsUserName?: string;
};
