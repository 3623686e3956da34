import type { z } from 'zod';
import type { KubeObject } from '../core/kube-object.ts';

/** A valid specification, or its errors for a message. The errors never contain values. */
export type Parsed<Spec> =
  | { readonly valid: true; readonly spec: Spec }
  | { readonly valid: false; readonly message: string };

/** The error of one field of a specification. It never contains the field's value. */
export interface SpecFault {
  /** Such as `spec.keys[0].pattern`. */
  readonly path: string;
  /** What is wrong and what to do. A message shows it after the path. */
  readonly message: string;
}

const SHOWN_FAULTS = 3;

/**
 * Parses the spec of an object of the API server; never throws. An explicit null counts as absent, as for the API
 * server. Give the schema the rules of the CRD: an object that breaks them has passed admission by mistake.
 * @param schema its messages are shown after a field's path: `must be a list`.
 */
export function parseSpec<Spec>(schema: z.ZodType<Spec>, object: KubeObject): Parsed<Spec> {
  const parsed = schema.safeParse(withoutNulls(object.spec));
  if (parsed.success) return { valid: true, spec: parsed.data };
  return { valid: false, message: faultsMessage(specFaults(parsed.error.issues)) };
}

/** The fields with errors, in the order in which the schema found them. */
export function specFaults(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): SpecFault[] {
  return issues.map(({ path, message }) => ({ path: fieldPath(path), message }));
}

/** The message of a condition and of a terminal outcome: the first three errors, and the number of the others. */
export function faultsMessage(faults: readonly SpecFault[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${path} ${message}`);
  const more = faults.length - shown.length;
  return `The specification is invalid: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/**
 * The value without fields that are null, at every depth. A null in a list stays, because the position of the others
 * depends on it.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([field, inner]) => [field, withoutNulls(inner)]));
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${String(step)}`),
    'spec',
  );
}
