import type { TypedKind } from '../kind/typed-kind.ts';
import type { HorizontalPodAutoscaler } from './generated/autoscaling.ts';
import type { Ingress, NetworkPolicy } from './generated/networking.ts';
import type { PodDisruptionBudget } from './generated/policy.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/rbac.ts';

export type { HorizontalPodAutoscaler } from './generated/autoscaling.ts';
export type {
  Ingress,
  IngressBackend,
  NetworkPolicy,
  NetworkPolicyPeer as NetworkPeer,
  NetworkPolicyPort as NetworkPort,
} from './generated/networking.ts';
export type { PodDisruptionBudget } from './generated/policy.ts';
export type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from './generated/rbac.ts';

const NETWORKING = { group: 'networking.k8s.io', version: 'v1', namespaced: true } as const;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** Ingresses of `networking.k8s.io/v1`. */
export const Ingresses: TypedKind<Ingress, 'Ingress'> = { ...NETWORKING, plural: 'ingresses', kind: 'Ingress' };
/** NetworkPolicies of `networking.k8s.io/v1`. */
export const NetworkPolicies: TypedKind<NetworkPolicy, 'NetworkPolicy'> = {
  ...NETWORKING,
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
};
/** Roles of `rbac.authorization.k8s.io/v1`. */
export const Roles: TypedKind<Role, 'Role'> = { ...RBAC, plural: 'roles', kind: 'Role', namespaced: true };
/** RoleBindings of `rbac.authorization.k8s.io/v1`. */
export const RoleBindings: TypedKind<RoleBinding, 'RoleBinding'> = {
  ...RBAC,
  plural: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};
/** ClusterRoles of `rbac.authorization.k8s.io/v1`, in no namespace. */
export const ClusterRoles: TypedKind<ClusterRole, 'ClusterRole'> = {
  ...RBAC,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
/** ClusterRoleBindings of `rbac.authorization.k8s.io/v1`, in no namespace. */
export const ClusterRoleBindings: TypedKind<ClusterRoleBinding, 'ClusterRoleBinding'> = {
  ...RBAC,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
/** PodDisruptionBudgets of `policy/v1`. */
export const PodDisruptionBudgets: TypedKind<PodDisruptionBudget, 'PodDisruptionBudget'> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
/** HorizontalPodAutoscalers of `autoscaling/v2`. */
export const HorizontalPodAutoscalers: TypedKind<HorizontalPodAutoscaler, 'HorizontalPodAutoscaler'> = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
};
