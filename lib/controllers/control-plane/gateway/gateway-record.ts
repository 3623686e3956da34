import { z } from 'zod';
import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ClientLocation } from '../../../ports/identity-provider.ts';

/** How far the first provisioning has come. What belongs to a finished stage is made again whatever a gate says. */
export const STAGES = ['none', 'namespace', 'credentials', 'workload', 'route'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * What locates a Gateway's objects, recorded before they are made. The item's values are what counts, since nobody
 * edits them; the status shows the same, and stands in for values that were lost with a table.
 */
export interface GatewayRecord {
  /** Absent: never begun. Empty: begun, and not known to exist. */
  readonly namespaceUid?: string | undefined;
  /** Where a client may exist: the one that is asked for last, those to be removed before it. */
  readonly clients: readonly RecordedClient[];
  /** UIDs of the ManagedDatabases beside whose Clusters objects may exist, the present one last. */
  readonly databaseUids: readonly string[];
  /** The last stage of which everything was made once. */
  readonly stage: Stage;
  /** A route may exist. */
  readonly routed: boolean;
}

export interface RecordedClient extends ClientLocation {
  /** It was made once, so that its absence is drift. */
  readonly made: boolean;
}

const clientSchema = z.object({ server: z.string(), realm: z.string().min(1), clientId: z.string().min(1) });
const recordedClientSchema = clientSchema.extend({ made: z.boolean() });

const recordSchema = z.object({
  namespaceUid: z.string().optional(),
  clients: z.array(recordedClientSchema),
  databaseUids: z.array(z.string()),
  stage: z.enum(STAGES),
  routed: z.boolean(),
});

const statusSchema = z.object({
  namespace: z
    .object({ uid: z.string().default('') })
    .optional()
    .catch(undefined),
  identity: clientSchema.optional().catch(undefined),
  database: z
    .object({ uid: z.string().min(1) })
    .optional()
    .catch(undefined),
});

export function readGatewayRecord(values: DurableValues, status: unknown): GatewayRecord {
  const kept = recordSchema.safeParse(parseJson(values.record));
  if (kept.success) return kept.data;
  const shown = statusSchema.safeParse(status).data;
  return {
    ...(shown?.namespace && { namespaceUid: shown.namespace.uid }),
    clients: shown?.identity === undefined ? [] : [{ ...shown.identity, made: false }],
    databaseUids: shown?.database === undefined ? [] : [shown.database.uid],
    // What is missing passes its gates again; what exists is kept up all the same.
    stage: 'none',
    // Whether there is one is for the look at it to tell.
    routed: shown?.namespace !== undefined,
  };
}

/** The namespace's UID as the status shows it. */
export function shownNamespaceUid(status: unknown): string | undefined {
  return statusSchema.safeParse(status).data?.namespace?.uid || undefined;
}

export function gatewayValues(record: GatewayRecord): DurableValues {
  return { record: JSON.stringify(record) };
}

export function hasFinished(record: GatewayRecord, stage: Stage): boolean {
  return STAGES.indexOf(record.stage) >= STAGES.indexOf(stage);
}

export function sameClient(left: ClientLocation, right: ClientLocation): boolean {
  return left.server === right.server && left.realm === right.realm && left.clientId === right.clientId;
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
