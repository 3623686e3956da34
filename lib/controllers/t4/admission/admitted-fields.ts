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
 * The object that a create made, and the fields that admission changed in it. The record is in the target's
 * item, so that a user who can edit the object cannot edit it. The fields belong to the object with this UID and have
 * no meaning for another one.
 */
export interface AdmittedFields {
  readonly uid?: string | undefined;
  /** Whether a create was announced and its answer is unknown. Absent in a record of an older release. */
  readonly open?: boolean | undefined;
  /**
   * By path: a digest of the value that was sent, and the value of the API server's answer. Without an answer when the
   * field was absent.
   */
  readonly fields?:
    | Readonly<Record<string, { readonly sent: string; readonly got?: JsonValue | undefined }>>
    | undefined;
}

/** @returns undefined when no record is stored, or the record is unreadable */
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

/** Whether a create may have made an object without an answer. An older release stored no UID in such a record. */
export function isOpen(record: AdmittedFields | undefined): boolean {
  return record !== undefined && (record.open ?? record.uid === undefined);
}

function nameOf({ kind }: ResourceType): string {
  return `admitted${kind}`;
}

export function digestOf(value: unknown): string {
  return sha256Hex(canonicalText(value ?? null)).slice(0, DIGEST_LENGTH);
}

/**
 * The record of this object with more fields; no create is open after that. When a field does not fit into the record,
 * it is repaired as if admission had not changed it.
 */
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
 * The wanted object, except for fields that admission changed when the same value was sent: these get the value of the
 * API server's answer. When another value is wanted now, that value counts. The same holds for every field that
 * admission did not change.
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

/**
 * Whether admission changed the field to its present value. @returns a digest of the value that was sent; undefined
 * when admission did not change it
 */
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
