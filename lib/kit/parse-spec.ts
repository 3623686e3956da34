import type { z } from 'zod';
import type { KubeObject } from '../core/kube-object.ts';

/** A specification that was found valid, or what is wrong with it, for a message: never the values. */
export type Parsed<Spec> =
  | { readonly valid: true; readonly spec: Spec }
  | { readonly valid: false; readonly message: string };

/** What is wrong with one field of a specification. Never repeats the field's value. */
export interface SpecFault {
  /** As in `spec.keys[0].pattern`. */
  readonly path: string;
  /** What is wrong and what to do, to be read after the path. */
  readonly message: string;
}

const SHOWN_FAULTS = 3;

/**
 * Parses the spec of an object as the API server sent it; never throws. An explicit null counts as absent, as the API server
 * sees it. Give the schema the rules of the CRD: what they refuse slipped past admission.
 * @param schema its messages are read after a field's path: `must be a list`.
 */
export function parseSpec<Spec>(schema: z.ZodType<Spec>, object: KubeObject): Parsed<Spec> {
  const parsed = schema.safeParse(withoutNulls(object.spec));
  if (parsed.success) return { valid: true, spec: parsed.data };
  return { valid: false, message: faultsMessage(specFaults(parsed.error.issues)) };
}

/** The fields at fault, in the order in which the schema found them. */
export function specFaults(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): SpecFault[] {
  return issues.map(({ path, message }) => ({ path: fieldPath(path), message }));
}

/** The message of a condition and of a terminal outcome: the first three faults, and how many more there are. */
export function faultsMessage(faults: readonly SpecFault[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${path} ${message}`);
  const more = faults.length - shown.length;
  return `The specification is invalid: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** The value without fields that are null, at every depth. An entry of a list stays, since it has a place. */
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
