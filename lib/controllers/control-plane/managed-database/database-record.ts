import { z } from 'zod';
import type { DurableValues } from '../../../core/reconcile-context.ts';

/**
 * What is known for good of a ManagedDatabase's objects, recorded before they are made. The item's values are what counts,
 * since nobody edits them; the status shows the same, and stands in for values that were lost with a table.
 */
export interface DatabaseRecord {
  /** Absent: never begun. An empty UID: begun, and not known to exist. */
  readonly namespaceUid?: string | undefined;
  readonly clusterUid?: string | undefined;
  /** The Cluster was ready once, so that it may hold data. */
  readonly heldData: boolean;
}

const recordSchema = z.object({
  namespaceUid: z.string().optional(),
  clusterUid: z.string().optional(),
  heldData: z.boolean(),
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
  // Either of them saying so is enough to be careful with data.
  const heldData = (kept.data?.heldData ?? false) || (shown.data?.heldData ?? false);
  if (kept.success) return { ...kept.data, heldData };
  return {
    ...(shown.data?.namespace && { namespaceUid: shown.data.namespace.uid }),
    ...(shown.data?.cluster && { clusterUid: shown.data.cluster.uid }),
    heldData,
  };
}

/** The UIDs as the status shows them. */
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
