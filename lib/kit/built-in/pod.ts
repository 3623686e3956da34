import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector, Labels, TemplateMeta } from './object.ts';

export type Pod = BuiltIn<{
  spec: PodSpec;
  status?: { phase?: string; podIP?: string; reason?: string; message?: string; conditions?: BuiltInCondition[] };
}>;

export type PodTemplate = { metadata?: TemplateMeta; spec: PodSpec };

/** `core/v1 PodSpec`, with the fields that authors commonly use. */
export type PodSpec = {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name: string }[];
  nodeSelector?: Labels;
  nodeName?: string;
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string; tolerationSeconds?: number }[];
  affinity?: Record<string, unknown>;
  topologySpreadConstraints?: {
    maxSkew: number;
    topologyKey: string;
    whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
    labelSelector?: LabelSelector;
  }[];
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  priorityClassName?: string;
  runtimeClassName?: string;
  hostNetwork?: boolean;
  dnsPolicy?: string;
  hostAliases?: { ip: string; hostnames: string[] }[];
  enableServiceLinks?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
};

export type Container = {
  name: string;
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: { name?: string; containerPort: number; protocol?: 'TCP' | 'UDP' | 'SCTP' }[];
  env?: EnvVar[];
  envFrom?: { prefix?: string; configMapRef?: LocalReference; secretRef?: LocalReference }[];
  resources?: { limits?: Resources; requests?: Resources };
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  restartPolicy?: 'Always';
  securityContext?: SecurityContext;
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
};

export type Resources = Record<string, IntOrString>;

export type LocalReference = { name: string; optional?: boolean };

export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { resource: string; containerName?: string };
    configMapKeyRef?: { name: string; key: string; optional?: boolean };
    secretKeyRef?: { name: string; key: string; optional?: boolean };
  };
};

export type Handler = {
  exec?: { command: string[] };
  httpGet?: { path?: string; port: IntOrString; host?: string; scheme?: 'HTTP' | 'HTTPS' };
  tcpSocket?: { port: IntOrString; host?: string };
  grpc?: { port: number; service?: string };
};

export type Probe = Handler & {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
};

export type SecurityContext = {
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  privileged?: boolean;
  readOnlyRootFilesystem?: boolean;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  runAsGroup?: number;
  seccompProfile?: { type: string; localhostProfile?: string };
};

export type PodSecurityContext = {
  fsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  runAsGroup?: number;
  supplementalGroups?: number[];
  seccompProfile?: { type: string; localhostProfile?: string };
};

export type Volume = {
  name: string;
  configMap?: { name: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  secret?: { secretName: string; items?: KeyToPath[]; defaultMode?: number; optional?: boolean };
  emptyDir?: { medium?: string; sizeLimit?: IntOrString };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  hostPath?: { path: string; type?: string };
  projected?: { sources: Record<string, unknown>[]; defaultMode?: number };
  csi?: { driver: string; readOnly?: boolean; volumeAttributes?: Labels };
  downwardAPI?: Record<string, unknown>;
};

export type KeyToPath = { key: string; path: string; mode?: number };
