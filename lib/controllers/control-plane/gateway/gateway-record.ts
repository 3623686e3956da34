import { z } from 'zod';
import { EvenkeelError } from '../../../core/errors.ts';
import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ClientLocation } from '../../../ports/identity-provider.ts';
import type { OwnerProof } from '../owner-proof.ts';

/** How far the first provisioning has come. What belongs to a finished milestone is made again whatever a gate says. */
export const MILESTONES = ['none', 'namespace', 'credentials', 'workload', 'route'] as const;
export type Milestone = (typeof MILESTONES)[number];

/**
 * What locates a Gateway's objects, recorded before they are made. The item's values are what counts, since nobody
 * edits them; the status shows the same, and stands in for values that were lost with a table.
 */
export interface GatewayRecord {
  /** Absent: never begun. Empty: begun, and not known to exist. */
  readonly namespaceUid?: string | undefined;
  /** Where a client may exist: the one that is asked for last, those to be removed before it. */
  readonly clients: readonly RecordedClient[];
  /** UIDs of the ManagedDatabases next to whose Clusters objects may exist, the present one last. */
  readonly databaseUids: readonly string[];
  /** The last milestone of which everything was made once. */
  readonly stage: Milestone;
  /** A route may exist. */
  readonly routed: boolean;
  /**
   * What the proofs of its objects are made of. Absent before the first pass of a release that makes them, and again after a
   * pass of an older release, which does not keep it.
   */
  readonly seed?: string | undefined;
  /** What was recorded before there was a seed, so that it may exist without a proof: parts as `recordedParts` names them. */
  readonly unproven?: readonly string[] | undefined;
}

export interface RecordedClient extends ClientLocation {
  /** It was made once, so that its absence is drift. */
  readonly made: boolean;
  /**
   * The provider's own id of it, recorded before it was made or taken over: no other client is ours. Absent where an older
   * release made it, which recorded none: its marks count until its id is recorded.
   */
  readonly id?: string | undefined;
}

const clientSchema = z.object({ server: z.string(), realm: z.string().min(1), clientId: z.string().min(1) });
const recordedClientSchema = clientSchema.extend({ made: z.boolean(), id: z.string().optional() });

const recordSchema = z.object({
  namespaceUid: z.string().optional(),
  clients: z.array(recordedClientSchema),
  databaseUids: z.array(z.string()),
  stage: z.enum(MILESTONES),
  routed: z.boolean(),
  seed: z.string().min(1).optional(),
  unproven: z.array(z.string()).optional(),
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
    // The next read shows whether there is one.
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

/** Of a Gateway's objects: its namespace, what lies in that, and what lies next to a database, which its UID stands for. */
const NAMESPACE_PART = 'namespace';
const CONTENT_PART = 'content';

/** The record with a seed. What an older release recorded is taken over by its marks, once. */
export function seededRecord(record: GatewayRecord, newSeed: () => string): GatewayRecord & { readonly seed: string } {
  const { seed } = record;
  return seed === undefined ? { ...record, seed: newSeed(), unproven: recordedParts(record) } : { ...record, seed };
}

function recordedParts({ namespaceUid, databaseUids }: GatewayRecord): string[] {
  const own = namespaceUid === undefined ? [] : [NAMESPACE_PART, CONTENT_PART];
  return [...own, ...databaseUids];
}

/** The proof of the Gateway's own namespace. */
export function namespaceProof(record: GatewayRecord): OwnerProof {
  return proofOfPart(record, NAMESPACE_PART);
}

/** The proof of what lies in the Gateway's namespace. */
export function contentProof(record: GatewayRecord): OwnerProof {
  return proofOfPart(record, CONTENT_PART);
}

/** The proof of what lies next to the Cluster of a ManagedDatabase. */
export function databaseProof(record: GatewayRecord, databaseUid: string): OwnerProof {
  return proofOfPart(record, databaseUid);
}

function proofOfPart({ seed, unproven = [] }: GatewayRecord, part: string): OwnerProof {
  if (seed === undefined)
    throw new EvenkeelError('NO_SEED', 'the record has no seed yet: save one before objects are judged');
  return { seed, marksSuffice: unproven.includes(part) };
}

export function hasFinished(record: GatewayRecord, milestone: Milestone): boolean {
  return MILESTONES.indexOf(record.stage) >= MILESTONES.indexOf(milestone);
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
