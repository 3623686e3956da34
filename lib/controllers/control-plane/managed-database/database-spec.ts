import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import { quantityNanos } from '../../../core/quantity.ts';
import { type Parsed, parseSpec } from '../../../kit/parse-spec.ts';

/** A Kubernetes quantity for storage: digits, optionally a fraction and a suffix. */
const QUANTITY = /^([0-9]{1,15})(\.[0-9]{1,9})?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$/;

/** The rules of the CRD's schema, for a specification that is invalid although it was admitted. */
const databaseSpec = z.object({
  provider: z.literal('cnpg', 'must be cnpg'),
  engineVersion: z.string('is missing: add it').regex(/^[1-9][0-9](\.[0-9]{1,3})?$/, 'must be a version as in 17.5'),
  instances: z.int('must be a whole number').min(1, 'must be 1 to 9').max(9, 'must be 1 to 9').default(1),
  storage: z
    .string('is missing: add it')
    .regex(QUANTITY, 'must be a quantity as in 20Gi')
    .refine((text) => (quantityNanos(text) ?? 0n) > 0n, 'must be a quantity above zero'),
  deletionPolicy: z.enum(['Delete', 'Retain'], 'must be Delete or Retain'),
  rebuild: z.boolean('must be true or false').default(false),
});

export type DatabaseSpec = z.infer<typeof databaseSpec>;

/** Never throws. */
export function parseDatabase(object: KubeObject): Parsed<DatabaseSpec> {
  return parseSpec(databaseSpec, object);
}
