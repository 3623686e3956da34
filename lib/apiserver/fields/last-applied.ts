import { isObject, type JsonObject, jsonText, objectAt, parseJson, stringAt } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { compareObjects } from './compare-objects.ts';
import { difference, EMPTY, type FieldSet, union } from './field-set.ts';
import { withoutManagers } from './managed-fields.ts';
import { ownedFields } from './owned-fields.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager that takes over fields from client-side apply: `kubectl apply --server-side`. */
const KUBECTL = 'kubectl';

/**
 * The fields that client-side apply set and that still have the same value. kubectl may take them over without a
 * conflict when it changes to server-side apply.
 */
export function inheritedFields(live: JsonObject, manager: string, apiVersion: string, node: SchemaNode): FieldSet {
  const text = stringAt(objectAt(objectAt(live, 'metadata'), 'annotations'), ANNOTATION);
  const last = manager === KUBECTL && text !== '' ? parsed(text) : undefined;
  if (last === undefined || last.apiVersion !== apiVersion) return EMPTY;
  const change = compareObjects(last, withoutManagers(live), node);
  return difference(ownedFields(last, node), union(union(change.modified, change.added), change.removed));
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Every client may have written the annotation. Without a valid one, no fields are taken over.
    return undefined;
  }
}

/**
 * Updates the annotation of client-side apply, if the object has one, so that a user can return to client-side apply.
 */
export function syncLastApplied(object: JsonObject, applied: JsonObject, manager: string): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const annotations = objectAt(metadata, 'annotations');
  if (manager !== KUBECTL || annotations === undefined || stringAt(annotations, ANNOTATION) === '') return object;
  const written = `${jsonText(withoutAnnotation(applied))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION]: written } } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = objectAt(applied, 'metadata') ?? {};
  const { [ANNOTATION]: _last, ...annotations } = objectAt(metadata, 'annotations') ?? {};
  return { ...applied, metadata: { ...metadata, annotations } };
}
