// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { IntOrString } from './container.ts';
import type { Condition, Time } from './meta.ts';
import type { LocalObjectReference } from './volume.ts';

export type ClientIPConfig = {
  timeoutSeconds?: number;
};

export type ConfigMap = BuiltIn<{
  binaryData?: Record<string, string>;
  data?: Record<string, string>;
  immutable?: boolean;
}>;

export type LoadBalancerIngress = {
  hostname?: string;
  ip?: string;
  ipMode?: string;
  ports?: PortStatus[];
};

export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[];
};

export type Namespace = BuiltIn<{
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
}>;

export type NamespaceCondition = {
  lastTransitionTime?: Time;
  message?: string;
  reason?: string;
  status: string;
  type: string;
};

export type NamespaceSpec = {
  finalizers?: string[];
};

export type NamespaceStatus = {
  conditions?: NamespaceCondition[];
  phase?: 'Active' | 'Terminating';
};

export type ObjectReference = {
  apiVersion?: string;
  fieldPath?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  uid?: string;
};

export type PortStatus = {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
};

export type Secret = BuiltIn<{
  data?: Record<string, string>;
  immutable?: boolean;
  stringData?: Record<string, string>;
  type?: string;
}>;

export type Service = BuiltIn<{
  spec: ServiceSpec;
  status?: ServiceStatus;
}>;

export type ServiceAccount = BuiltIn<{
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: LocalObjectReference[];
  secrets?: ObjectReference[];
}>;

export type ServicePort = {
  appProtocol?: string;
  name?: string;
  nodePort?: number;
  port: number;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
  targetPort?: IntOrString;
};

export type ServiceSpec = {
  allocateLoadBalancerNodePorts?: boolean;
  clusterIP?: string;
  clusterIPs?: string[];
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: 'Cluster' | 'Local';
  healthCheckNodePort?: number;
  internalTrafficPolicy?: 'Cluster' | 'Local';
  ipFamilies?: ('' | 'IPv4' | 'IPv6')[];
  ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack';
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  ports?: ServicePort[];
  publishNotReadyAddresses?: boolean;
  selector?: Record<string, string>;
  sessionAffinity?: 'ClientIP' | 'None';
  sessionAffinityConfig?: SessionAffinityConfig;
  trafficDistribution?: string;
  type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort';
};

export type ServiceStatus = {
  conditions?: Condition[];
  loadBalancer?: LoadBalancerStatus;
};

export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig;
};
