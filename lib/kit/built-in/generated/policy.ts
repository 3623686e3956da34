// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { IntOrString } from './container.ts';
import type { Condition, LabelSelector, Time } from './meta.ts';

export type PodDisruptionBudget = BuiltIn<{
  spec: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}>;

export type PodDisruptionBudgetSpec = {
  maxUnavailable?: IntOrString;
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
};

export type PodDisruptionBudgetStatus = {
  conditions?: Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, Time>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
};
