// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { TypedLocalObjectReference } from './claim.ts';
import type { IntOrString } from './container.ts';
import type { LabelSelector } from './meta.ts';

export type HTTPIngressPath = {
  backend: IngressBackend;
  path?: string;
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
};

export type HTTPIngressRuleValue = {
  paths: HTTPIngressPath[];
};

export type IPBlock = {
  cidr: string;
  except?: string[];
};

export type Ingress = BuiltIn<{
  spec: IngressSpec;
  status?: IngressStatus;
}>;

export type IngressBackend = {
  resource?: TypedLocalObjectReference;
  service?: IngressServiceBackend;
};

export type IngressLoadBalancerIngress = {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
};

export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[];
};

export type IngressPortStatus = {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
};

export type IngressRule = {
  host?: string;
  http?: HTTPIngressRuleValue;
};

export type IngressServiceBackend = {
  name: string;
  port?: ServiceBackendPort;
};

export type IngressSpec = {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
};

export type IngressStatus = {
  loadBalancer?: IngressLoadBalancerStatus;
};

export type IngressTLS = {
  hosts?: string[];
  secretName?: string;
};

export type NetworkPolicy = BuiltIn<{
  spec: NetworkPolicySpec;
}>;

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
};

export type NetworkPolicyIngressRule = {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
};

export type NetworkPolicyPeer = {
  ipBlock?: IPBlock;
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
};

export type NetworkPolicyPort = {
  endPort?: number;
  port?: IntOrString;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
};

export type NetworkPolicySpec = {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: LabelSelector;
  policyTypes?: ('Egress' | 'Ingress')[];
};

export type ServiceBackendPort = {
  name?: string;
  number?: number;
};
