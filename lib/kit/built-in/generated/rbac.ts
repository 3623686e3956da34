// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { LabelSelector } from './meta.ts';

export type AggregationRule = {
  clusterRoleSelectors?: LabelSelector[];
};

export type ClusterRole = BuiltIn<{
  aggregationRule?: AggregationRule;
  rules?: PolicyRule[];
}>;

export type ClusterRoleBinding = BuiltIn<{
  roleRef: RoleRef;
  subjects?: Subject[];
}>;

export type PolicyRule = {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
};

export type Role = BuiltIn<{
  rules?: PolicyRule[];
}>;

export type RoleBinding = BuiltIn<{
  roleRef: RoleRef;
  subjects?: Subject[];
}>;

export type RoleRef = {
  apiGroup?: string;
  kind: string;
  name: string;
};

export type Subject = {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
};
