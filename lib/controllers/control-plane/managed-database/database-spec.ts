import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import { faultsMessage, withoutNulls } from '../spec-faults.ts';

/** A quantity as storage is asked for with: digits, perhaps with a fraction, and a suffix. */
const QUANTITY = /^([0-9]{1,15})(\.[0-9]{1,9})?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$/;

/** The rules of the CRD's schema, for what slips past admission. */
const databaseSpec = z.object({
  provider: z.literal('cnpg', 'must be cnpg'),
  engineVersion: z.string('is missing: add it').regex(/^[1-9][0-9](\.[0-9]{1,3})?$/, 'must be a version as in 17.5'),
  instances: z.int('must be a whole number').min(1, 'must be 1 to 9').max(9, 'must be 1 to 9').default(1),
  storage: z
    .string('is missing: add it')
    .regex(QUANTITY, 'must be a quantity as in 20Gi')
    .refine((text) => (quantityBytes(text) ?? 0) > 0, 'must be a quantity above zero'),
  deletionPolicy: z.enum(['Delete', 'Retain'], 'must be Delete or Retain'),
  rebuild: z.boolean('must be true or false').default(false),
});

export type DatabaseSpec = z.infer<typeof databaseSpec>;

export type ParsedDatabase =
  | { readonly valid: true; readonly spec: DatabaseSpec }
  | { readonly valid: false; readonly message: string };

/** Never throws. */
export function parseDatabase(object: KubeObject): ParsedDatabase {
  const parsed = databaseSpec.safeParse(withoutNulls(object.spec));
  return parsed.success
    ? { valid: true, spec: parsed.data }
    : { valid: false, message: faultsMessage(parsed.error.issues) };
}

const SUFFIXES: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Bytes; undefined for what is no quantity. Exact to about 15 digits, which is enough to compare sizes. */
export function quantityBytes(text: string): number | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  return Number(`${match[1]}${match[2] ?? ''}`) * (SUFFIXES[match[3] ?? ''] ?? 1);
}
