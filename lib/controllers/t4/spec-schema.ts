import { z } from 'zod';
import type { KubeObject } from '../../core/kube-object.ts';

/** A valid specification, or its fault for a message: never the values. */
export type Parsed<Spec> =
  | { readonly valid: true; readonly spec: Spec }
  | { readonly valid: false; readonly message: string };

const SHOWN_FAULTS = 3;

/**
 * Parses the spec of an object of the API server. The rules are those of the CRD's schema. A spec that breaks them is
 * invalid although it was admitted.
 */
export function parseSpec<Spec>(schema: z.ZodType<Spec>, object: KubeObject): Parsed<Spec> {
  const parsed = schema.safeParse(withoutNulls(object.spec));
  if (parsed.success) return { valid: true, spec: parsed.data };
  const { issues } = parsed.error;
  const shown = issues.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${fieldPath(path)} ${message}`);
  const more = issues.length - shown.length;
  return {
    valid: false,
    message: `The specification is invalid: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
  };
}

/** The API server treats an explicit null as an absent field. */
function withoutNulls(value: unknown): unknown {
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

/** Counts code points, as the API server does. */
function lengthWithin(min: number, max: number) {
  return (value: string) => {
    const length = [...value].length;
    return length >= min && length <= max;
  };
}

/** Each text says what the field must be, whether it is missing or wrong. */
export function text(min: number, max: number) {
  const what = `must be a text of ${min} to ${max} characters`;
  return z.string({ error: what }).refine(lengthWithin(min, max), { error: what });
}

export function pattern(expression: RegExp, max: number, what: string) {
  const error = `must be ${what}, at most ${max} characters long`;
  return z.string({ error }).max(max, { error }).regex(expression, { error });
}

/** The name pattern of references within the group. */
export const referenceName = pattern(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 253, "an object's name");

export const objectName = pattern(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  253,
  'a DNS subdomain name',
);

export const profileName = pattern(
  /^[a-z0-9]([-._a-z0-9]{0,62}[a-z0-9])?$/,
  64,
  'lower-case letters, digits, dots, dashes and underscores',
);

export const commit = z
  .string({ error: 'must be 7 to 64 hex digits' })
  .regex(/^[0-9a-fA-F]{7,64}$/, { error: 'must be 7 to 64 hex digits' });

export const repositoryText = text(1, 256);

export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: ({ input }) => (input === undefined ? 'is missing: add it' : 'must be an object') });
}
