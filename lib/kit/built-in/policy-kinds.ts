import type { TypedKind } from '../kind/typed-kind.ts';
import type { BuiltIn, BuiltInCondition, IntOrString, LabelSelector } from './object.ts';

const NETWORKING = { group: 'networking.k8s.io', version: 'v1', namespaced: true } as const;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** The Service, and its port by number or by name, that an Ingress sends requests to. */
export type IngressBackend = { service: { name: string; port: { number?: number; name?: string } } };

/** An Ingress (`networking.k8s.io/v1`). */
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

/** Pods, namespaces or addresses that a NetworkPolicy permits. `cidr` is such as `10.0.0.0/8`. */
export type NetworkPeer = {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
};
/** A port that a NetworkPolicy permits. With `endPort` it is a range. */
export type NetworkPort = { protocol?: 'TCP' | 'UDP' | 'SCTP'; port?: IntOrString; endPort?: number };

/** A NetworkPolicy (`networking.k8s.io/v1`). */
export type NetworkPolicy = BuiltIn<{
  spec: {
    podSelector: LabelSelector;
    policyTypes?: ('Ingress' | 'Egress')[];
    ingress?: { from?: NetworkPeer[]; ports?: NetworkPort[] }[];
    egress?: { to?: NetworkPeer[]; ports?: NetworkPort[] }[];
  };
}>;

/** One rule of a Role or ClusterRole: verbs on resources, or on URL paths (`nonResourceURLs`). */
export type PolicyRule = {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
};
/** The role that a binding grants. The API server refuses a change of it: delete and create the binding. */
export type RoleRef = { apiGroup: string; kind: 'Role' | 'ClusterRole'; name: string };
/** Who gets the role of a binding. A ServiceAccount needs `namespace`. */
export type Subject = {
  kind: 'ServiceAccount' | 'User' | 'Group';
  name: string;
  namespace?: string;
  apiGroup?: string;
};

/** A Role (`rbac.authorization.k8s.io/v1`). */
export type Role = BuiltIn<{ rules: PolicyRule[] }>;
/** A ClusterRole (`rbac.authorization.k8s.io/v1`). It is in no namespace. */
export type ClusterRole = BuiltIn<{
  rules: PolicyRule[];
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}>;
/** A RoleBinding (`rbac.authorization.k8s.io/v1`). */
export type RoleBinding = BuiltIn<{ roleRef: RoleRef; subjects?: Subject[] }>;
/** A ClusterRoleBinding (`rbac.authorization.k8s.io/v1`). It is in no namespace. */
export type ClusterRoleBinding = RoleBinding;

/** A PodDisruptionBudget (`policy/v1`). */
export type PodDisruptionBudget = BuiltIn<{
  spec: {
    selector?: LabelSelector;
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  status?: { disruptionsAllowed?: number; currentHealthy?: number; conditions?: BuiltInCondition[] };
}>;

/** A HorizontalPodAutoscaler (`autoscaling/v2`). */
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

/** Ingresses of `networking.k8s.io/v1`. */
export const Ingresses: TypedKind<Ingress> = { ...NETWORKING, plural: 'ingresses', kind: 'Ingress' };
/** NetworkPolicies of `networking.k8s.io/v1`. */
export const NetworkPolicies: TypedKind<NetworkPolicy> = {
  ...NETWORKING,
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
};
/** Roles of `rbac.authorization.k8s.io/v1`. */
export const Roles: TypedKind<Role> = { ...RBAC, plural: 'roles', kind: 'Role', namespaced: true };
/** RoleBindings of `rbac.authorization.k8s.io/v1`. */
export const RoleBindings: TypedKind<RoleBinding> = {
  ...RBAC,
  plural: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};
/** ClusterRoles of `rbac.authorization.k8s.io/v1`, in no namespace. */
export const ClusterRoles: TypedKind<ClusterRole> = {
  ...RBAC,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
/** ClusterRoleBindings of `rbac.authorization.k8s.io/v1`, in no namespace. */
export const ClusterRoleBindings: TypedKind<ClusterRoleBinding> = {
  ...RBAC,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
/** PodDisruptionBudgets of `policy/v1`. */
export const PodDisruptionBudgets: TypedKind<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
/** HorizontalPodAutoscalers of `autoscaling/v2`. */
export const HorizontalPodAutoscalers: TypedKind<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
};
