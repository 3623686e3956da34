import { z } from 'zod';
import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { OwnerProof } from '../owner-proof.ts';

/**
 * The permanent facts about the objects of a ManagedDatabase, recorded before the objects are created. The values in the item
 * count, because nobody edits them. The status shows the same, and is used when the values were lost with a table.
 */
export interface DatabaseRecord {
  /** Absent: never begun. An empty UID: begun, and not known to exist. */
  readonly namespaceUid?: string | undefined;
  readonly clusterUid?: string | undefined;
  /** The Cluster was ready once, so it may hold data. */
  readonly heldData: boolean;
  /** The seed of the proofs of its objects, as for a Gateway. */
  readonly seed?: string | undefined;
  /** Objects that an older release had begun to create, without their UID: their marks count. */
  readonly unproven?: readonly ('namespace' | 'cluster')[] | undefined;
}

export interface DatabaseSettings {
  /** Returns a random, unguessable text, different at each call. */
  readonly newSeed: () => string;
}

/** The record with a seed. It must be saved before any object is created. */
export function seededRecord(record: DatabaseRecord, newSeed: () => string): SeededDatabaseRecord {
  const { seed, namespaceUid, clusterUid } = record;
  if (seed !== undefined) return { ...record, seed };
  const unproven = [
    ...(namespaceUid === '' ? (['namespace'] as const) : []),
    ...(clusterUid === '' ? (['cluster'] as const) : []),
  ];
  return { ...record, seed: newSeed(), unproven };
}

export type SeededDatabaseRecord = DatabaseRecord & { readonly seed: string };

export function databaseProof(
  { seed, unproven = [] }: SeededDatabaseRecord,
  part: 'namespace' | 'cluster',
): OwnerProof {
  return { seed, marksSuffice: unproven.includes(part) };
}

const recordSchema = z.object({
  namespaceUid: z.string().optional(),
  clusterUid: z.string().optional(),
  heldData: z.boolean(),
  seed: z.string().min(1).optional(),
  unproven: z.array(z.enum(['namespace', 'cluster'])).optional(),
});

const statusSchema = z.object({
  namespace: z
    .object({ uid: z.string().default('') })
    .optional()
    .catch(undefined),
  cluster: z
    .object({ uid: z.string().default('') })
    .optional()
    .catch(undefined),
  heldData: z.boolean().default(false).catch(false),
});

export function readDatabaseRecord(values: DurableValues, status: unknown): DatabaseRecord {
  const shown = statusSchema.safeParse(status);
  const kept = recordSchema.safeParse(parseJson(values.record));
  // The data counts as in use when either of the two says so.
  const heldData = (kept.data?.heldData ?? false) || (shown.data?.heldData ?? false);
  if (kept.success) return { ...kept.data, heldData };
  return {
    ...(shown.data?.namespace && { namespaceUid: shown.data.namespace.uid }),
    ...(shown.data?.cluster && { clusterUid: shown.data.cluster.uid }),
    heldData,
  };
}

/** The UIDs in the status. */
export function shownUids(status: unknown): { readonly namespace?: string; readonly cluster?: string } {
  const shown = statusSchema.safeParse(status).data;
  return {
    ...(shown?.namespace && { namespace: shown.namespace.uid }),
    ...(shown?.cluster && { cluster: shown.cluster.uid }),
  };
}

export function databaseValues(record: DatabaseRecord): DurableValues {
  return { record: JSON.stringify(record) };
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
