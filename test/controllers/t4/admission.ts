import type { Admission, AdmissionRequest } from '../../../lib/apiserver/state/admission.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';

type Operation = AdmissionRequest['operation'];

/** An admission that changes objects of one kind, when they are created or also at each update. */
export function changing(
  resource: string,
  operations: readonly Operation[],
  change: (object: JsonObject) => void,
): Admission {
  return (request) => {
    if (request.resource !== resource || !operations.includes(request.operation)) return request;
    const copy = structuredClone(request.object) as JsonObject;
    change(copy);
    return { object: copy };
  };
}

export const specOf = (object: JsonObject) => object.spec as Record<string, never> & JsonObject;
export const labelsOf = (object: JsonObject) => {
  const metadata = object.metadata as JsonObject;
  metadata.labels ??= {};
  return metadata.labels as JsonObject;
};
export const containersOf = (object: JsonObject) => specOf(object).containers as unknown as JsonObject[];
