import type { z } from 'zod';
import type { DesiredObject } from '../../core/kube-object.ts';
import type { KindObject } from './kind-object.ts';
import type { TypedKind } from './typed-kind.ts';

/** A column of `kubectl get`. Ready, Reason and Age are added. */
export interface KindColumn {
  readonly name: string;
  /** As in `.spec.host`. */
  readonly jsonPath: string;
  /** Default `string`. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 1 or more is shown only by `kubectl get -o wide`. Default 0. */
  readonly priority?: number;
}

/** A rule in CEL that the API server checks. `self` is the spec, and `oldSelf` the spec before. */
export interface KindValidation {
  readonly rule: string;
  readonly message: string;
}

/** Another version of a kind. The API server serves the stored object unchanged, so its fields must be compatible. */
export interface KindVersion {
  readonly name: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  /** Default true. */
  readonly served?: boolean;
}

export interface KindDefinition<Spec extends z.ZodType, Status extends z.ZodType> {
  /** An API group with a dot, such as `example.com`. */
  readonly group: string;
  /** The version that is stored, such as `v1` or `v1alpha1`. */
  readonly version: string;
  /** CamelCase and singular, such as `Website`. */
  readonly kind: string;
  /** An object schema. Each rule of it must be one that the API server can check too. */
  readonly spec: Spec;
  /** An object schema of the controller's own status fields, without conditions and observedGeneration. */
  readonly status?: Status;
  /** Default: the kind in lower case, with an `s`, `es` or `ies`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly columns?: readonly KindColumn[];
  readonly validations?: readonly KindValidation[];
  /** Versions in addition to `version`. */
  readonly versions?: readonly KindVersion[];
}

/** A kind by one schema: usable wherever a `ResourceType` is. */
export interface Kind<Spec, Status> extends TypedKind<KindObject<Spec, Status>> {
  /** Its CustomResourceDefinition. */
  readonly definition: DesiredObject;
  /** What the conversion of the schema changed without weakening it, each with its path. */
  readonly notes: readonly string[];
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<Status> | undefined;
}
