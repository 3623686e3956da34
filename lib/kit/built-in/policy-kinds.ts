import type { TypedKind } from '../kind/typed-kind.ts';
import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector } from './object.ts';

const NETWORKING = { group: 'networking.k8s.io', version: 'v1', namespaced: true } as const;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

export type IngressBackend = { service: { name: string; port: { number?: number; name?: string } } };

export type Ingress = BuiltIn<{
  spec: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    tls?: { hosts?: string[]; secretName?: string }[];
    rules?: {
      host?: string;
      http?: {
        paths: { path?: string; pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific'; backend: IngressBackend }[];
      };
    }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}>;

export type NetworkPeer = {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
};
export type NetworkPort = { protocol?: 'TCP' | 'UDP' | 'SCTP'; port?: IntOrString; endPort?: number };

export type NetworkPolicy = BuiltIn<{
  spec: {
    podSelector: LabelSelector;
    policyTypes?: ('Ingress' | 'Egress')[];
    ingress?: { from?: NetworkPeer[]; ports?: NetworkPort[] }[];
    egress?: { to?: NetworkPeer[]; ports?: NetworkPort[] }[];
  };
}>;

export type PolicyRule = {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
};
export type RoleRef = { apiGroup: string; kind: 'Role' | 'ClusterRole'; name: string };
export type Subject = {
  kind: 'ServiceAccount' | 'User' | 'Group';
  name: string;
  namespace?: string;
  apiGroup?: string;
};

export type Role = BuiltIn<{ rules: PolicyRule[] }>;
export type ClusterRole = BuiltIn<{
  rules: PolicyRule[];
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}>;
export type RoleBinding = BuiltIn<{ roleRef: RoleRef; subjects?: Subject[] }>;
export type ClusterRoleBinding = RoleBinding;

export type PodDisruptionBudget = BuiltIn<{
  spec: {
    selector?: LabelSelector;
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  status?: { disruptionsAllowed?: number; currentHealthy?: number; conditions?: BuiltInCondition[] };
}>;

export type HorizontalPodAutoscaler = BuiltIn<{
  spec: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
    minReplicas?: number;
    maxReplicas: number;
    metrics?: Record<string, unknown>[];
    behavior?: Record<string, unknown>;
  };
  status?: { currentReplicas?: number; desiredReplicas?: number; conditions?: BuiltInCondition[] };
}>;

export const Ingresses: TypedKind<Ingress> = { ...NETWORKING, plural: 'ingresses', kind: 'Ingress' };
export const NetworkPolicies: TypedKind<NetworkPolicy> = {
  ...NETWORKING,
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
};
export const Roles: TypedKind<Role> = { ...RBAC, plural: 'roles', kind: 'Role', namespaced: true };
export const RoleBindings: TypedKind<RoleBinding> = {
  ...RBAC,
  plural: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};
export const ClusterRoles: TypedKind<ClusterRole> = {
  ...RBAC,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
export const ClusterRoleBindings: TypedKind<ClusterRoleBinding> = {
  ...RBAC,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
export const PodDisruptionBudgets: TypedKind<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
export const HorizontalPodAutoscalers: TypedKind<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
};
