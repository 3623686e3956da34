import { forbidden } from '../api-error.ts';
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import type { Target } from './target.ts';

/** A creation or an update of a main resource, as an admission webhook sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly group: string;
  /** The plural, such as `pods`. */
  readonly resource: string;
  readonly namespace: string;
  /** The object as the client sent it; it must not be changed. */
  readonly object: JsonObject;
}

/**
 * The accepted object, which is the given one or a changed copy; or the reason of a refusal, which is answered with
 * 403.
 */
export type AdmissionReview = { readonly object: JsonObject } | { readonly refused: string };

export type Admission = (request: AdmissionRequest) => AdmissionReview;

/** The object after all admissions. Their changes count as written by the client, as on the real server. */
export function admitted(
  { admissions }: { readonly admissions: Iterable<Admission> },
  operation: AdmissionRequest['operation'],
  { type, namespace }: Target,
  object: JsonObject,
): JsonObject {
  const { group, resource } = type;
  let current = object;
  for (const admission of admissions) {
    const review = admission({ operation, group, resource, namespace, object: current });
    if ('refused' in review) throw forbidden(type, stringAt(objectAt(current, 'metadata'), 'name'), review.refused);
    current = review.object;
  }
  return current;
}
