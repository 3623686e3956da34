import { z } from 'zod';
import { sha256Hex } from '../../../core/hash.ts';
import { canonicalText, jsonEqual } from '../../../core/json-merge.ts';
import type { JsonValue, KubeObject } from '../../../core/kube-object.ts';
import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ResourceType } from '../../../core/resource-type.ts';
import { type FieldDifference, type FieldPath, fieldDifferences, withField } from './field-differences.ts';

const DIGEST_LENGTH = 16;
/** All values of a target together may take 4 KB, and a session has two objects. */
const MAX_RECORD_LENGTH = 1_300;
/** An older release reads no record without this field, and recognizes no object by this value. */
const FOR_OLDER_RELEASE = { sent: '' };

const recordSchema = z.object({
  uid: z.string().optional(),
  open: z.boolean().optional(),
  fields: z.record(z.string(), z.object({ sent: z.string(), got: z.json().optional() })).optional(),
});

/**
 * Which object a creation made, and what admission made of it. It is kept in the target's item, so that nobody
 * who can edit the object can edit it. Its fields belong to the object with this UID and mean nothing for another one.
 */
export interface AdmittedFields {
  readonly uid?: string | undefined;
  /** Whether a creation was announced and its answer is not known; absent where an older release wrote the record. */
  readonly open?: boolean | undefined;
  /** By path: a digest of what was sent, and what the API server answered; no answer where the field was absent. */
  readonly fields?:
    | Readonly<Record<string, { readonly sent: string; readonly got?: JsonValue | undefined }>>
    | undefined;
}

/** @returns undefined where nothing, or nothing readable, is kept */
export function admittedFields(values: DurableValues, type: ResourceType): AdmittedFields | undefined {
  const kept = values[nameOf(type)];
  if (typeof kept !== 'string') return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(kept)).data;
  } catch {
    return undefined;
  }
}

export function withAdmittedFields(values: DurableValues, type: ResourceType, record: AdmittedFields): DurableValues {
  return { ...values, [nameOf(type)]: JSON.stringify({ ...record, ...FOR_OLDER_RELEASE }) };
}

/** Whether a creation may have made an object without an answer. An older release kept no UID in such a record. */
export function isOpen(record: AdmittedFields | undefined): boolean {
  return record !== undefined && (record.open ?? record.uid === undefined);
}

function nameOf({ kind }: ResourceType): string {
  return `admitted${kind}`;
}

export function digestOf(value: unknown): string {
  return sha256Hex(canonicalText(value ?? null)).slice(0, DIGEST_LENGTH);
}

/** The record of this very object with more fields; no creation is open then. A field that finds no room is repaired as if admission had left it. */
export function withFields(
  record: AdmittedFields | undefined,
  { metadata }: KubeObject,
  differences: readonly FieldDifference[],
): AdmittedFields {
  let fields = record?.uid === metadata.uid ? (record.fields ?? {}) : {};
  for (const { path, has, wanted } of differences) {
    const field = { sent: digestOf(wanted), ...(has !== undefined && { got: has as JsonValue }) };
    const more = { ...fields, [keyOf(path)]: field };
    if (JSON.stringify(more).length <= MAX_RECORD_LENGTH) fields = more;
  }
  return { uid: metadata.uid, fields };
}

/**
 * The wanted object, but for the fields that admission changed when this same value was sent: they are to be as the API
 * server answered then. Another value that is wanted now counts, and so does every field that admission left alone.
 */
export function exceptAdmitted(
  record: AdmittedFields | undefined,
  observed: KubeObject,
  wanted: KubeObject,
): KubeObject {
  return fieldDifferences(observed, wanted).reduce((target, difference) => {
    const field = fieldOf(record, observed, difference.path);
    return field?.sent === digestOf(difference.wanted) ? withField(target, difference.path, field.got) : target;
  }, wanted);
}

/** Whether admission changed the field to what it is now. @returns a digest of what was sent; undefined where it did not */
export function sentBeforeAdmission(
  record: AdmittedFields | undefined,
  observed: KubeObject,
  path: FieldPath,
  value: unknown,
): string | undefined {
  const field = fieldOf(record, observed, path);
  return field !== undefined && jsonEqual(field.got, value) ? field.sent : undefined;
}

function fieldOf(record: AdmittedFields | undefined, { metadata }: KubeObject, path: FieldPath) {
  return record?.uid === metadata.uid ? record.fields?.[keyOf(path)] : undefined;
}

function keyOf(path: FieldPath): string {
  return path.join(' ');
}
