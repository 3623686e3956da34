import type { z } from 'zod';

const SHOWN_FAULTS = 3;

/** Names the fields at fault, the first few of them, without their values. */
export function faultsMessage(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${fieldPath(path)} ${message}`);
  const more = issues.length - shown.length;
  return `The specification is invalid: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${String(step)}`),
    'spec',
  );
}

/** An explicit null is absent, as the API server sees it. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}
