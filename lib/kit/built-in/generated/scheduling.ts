// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { LabelSelector } from './meta.ts';

export type Affinity = {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
};

export type NodeAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
};

export type NodeSelector = {
  nodeSelectorTerms: NodeSelectorTerm[];
};

export type NodeSelectorRequirement = {
  key: string;
  operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn';
  values?: string[];
};

export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
};

export type PodAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
};

export type PodAffinityTerm = {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
};

export type PodAntiAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
};

export type PreferredSchedulingTerm = {
  preference: NodeSelectorTerm;
  weight: number;
};

export type Toleration = {
  effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  key?: string;
  operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt';
  tolerationSeconds?: number;
  value?: string;
};

export type TopologySpreadConstraint = {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  maxSkew: number;
  minDomains?: number;
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
  topologyKey: string;
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
};

export type WeightedPodAffinityTerm = {
  podAffinityTerm: PodAffinityTerm;
  weight: number;
};
