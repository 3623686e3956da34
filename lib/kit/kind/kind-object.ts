import type { Condition } from '../../core/conditions.ts';
import type { ObjectMeta } from '../../core/kube-object.ts';

/** The part of a status that evenkeel writes: which generation it is about, and the conditions. */
export type EngineStatus = { observedGeneration?: number; conditions?: Condition[] };

/** An object of an author's kind. A type, so that it is a `KubeObject` too. */
export type KindObject<Spec, Status> = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  /** Parsed by the schema of the kind; defaults are filled in. */
  spec: Spec;
  /** As the last pass published it; undefined before the first one. */
  status?: Partial<Status> & EngineStatus;
};
