// Generated from the OpenAPI v3 documents of Kubernetes by test/conformance/built-in-types.test.ts. Do not edit.
// `kubectl explain` shows what each field means.

import type { BuiltIn } from '../object.ts';
import type { Quantity } from './claim.ts';
import type { LabelSelector, Time } from './meta.ts';

export type ContainerResourceMetricSource = {
  container: string;
  name: string;
  target: MetricTarget;
};

export type ContainerResourceMetricStatus = {
  container: string;
  current: MetricValueStatus;
  name: string;
};

export type CrossVersionObjectReference = {
  apiVersion?: string;
  kind: string;
  name: string;
};

export type ExternalMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

export type ExternalMetricStatus = {
  current: MetricValueStatus;
  metric: MetricIdentifier;
};

export type HPAScalingPolicy = {
  periodSeconds: number;
  type: string;
  value: number;
};

export type HPAScalingRules = {
  policies?: HPAScalingPolicy[];
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  tolerance?: Quantity;
};

export type HorizontalPodAutoscaler = BuiltIn<{
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}>;

export type HorizontalPodAutoscalerBehavior = {
  scaleDown?: HPAScalingRules;
  scaleUp?: HPAScalingRules;
};

export type HorizontalPodAutoscalerCondition = {
  lastTransitionTime?: Time;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
};

export type HorizontalPodAutoscalerSpec = {
  behavior?: HorizontalPodAutoscalerBehavior;
  maxReplicas: number;
  metrics?: MetricSpec[];
  minReplicas?: number;
  scaleTargetRef: CrossVersionObjectReference;
};

export type HorizontalPodAutoscalerStatus = {
  conditions?: HorizontalPodAutoscalerCondition[];
  currentMetrics?: MetricStatus[];
  currentReplicas?: number;
  desiredReplicas: number;
  lastScaleTime?: Time;
  observedGeneration?: number;
};

export type MetricIdentifier = {
  name: string;
  selector?: LabelSelector;
};

export type MetricSpec = {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type: string;
};

export type MetricStatus = {
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  type: string;
};

export type MetricTarget = {
  averageUtilization?: number;
  averageValue?: Quantity;
  type: string;
  value?: Quantity;
};

export type MetricValueStatus = {
  averageUtilization?: number;
  averageValue?: Quantity;
  value?: Quantity;
};

export type ObjectMetricSource = {
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
  target: MetricTarget;
};

export type ObjectMetricStatus = {
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
};

export type PodsMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

export type PodsMetricStatus = {
  current: MetricValueStatus;
  metric: MetricIdentifier;
};

export type ResourceMetricSource = {
  name: string;
  target: MetricTarget;
};

export type ResourceMetricStatus = {
  current: MetricValueStatus;
  name: string;
};
