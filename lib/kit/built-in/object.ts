import type { ObjectMeta } from '../../core/kube-object.ts';

/**
 * An object of a built-in kind. It types only the fields that authors commonly write and read. It is a type and not an
 * interface, so that it is a `KubeObject`.
 */
export type BuiltIn<Fields> = { apiVersion: string; kind: string; metadata: ObjectMeta } & Fields;

export type Labels = Record<string, string>;

export type LabelSelector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[];
};

/** `status.conditions` of built-in kinds. */
export type BuiltInCondition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
};

export type IntOrString = number | string;

export type TemplateMeta = { labels?: Labels; annotations?: Labels };
