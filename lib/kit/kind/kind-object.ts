import type { Condition } from '../../core/conditions.ts';
import type { ObjectMeta } from '../../core/kube-object.ts';

/** The part of a status that evenkeel writes: the observed generation, and the conditions. */
export type EngineStatus = { observedGeneration?: number; conditions?: Condition[] };

/** An object of an author's kind. It is a type and not an interface, so that it is a `KubeObject` too. */
export type KindObject<Spec, Status> = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  /** Parsed by the schema of the kind, with its defaults. */
  spec: Spec;
  /** The status of the last pass; undefined before the first one. */
  status?: Partial<Status> & EngineStatus;
};
