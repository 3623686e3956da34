import { z } from 'zod';
import { EvenkeelError } from '../../../core/errors.ts';
import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ClientLocation } from '../../../ports/identity-provider.ts';
import type { OwnerProof } from '../owner-proof.ts';

/**
 * The progress of the first provisioning. The objects of a finished milestone are created again without a check of the
 * gates.
 */
export const MILESTONES = ['none', 'namespace', 'credentials', 'workload', 'route'] as const;
export type Milestone = (typeof MILESTONES)[number];

/**
 * The locations of a Gateway's objects, recorded before the objects are created. The values in the item count,
 * because nobody edits them. The status shows the same, and is used when the values were lost with a table.
 */
export interface GatewayRecord {
  /** Absent: never begun. Empty: begun, and not known to exist. */
  readonly namespaceUid?: string | undefined;
  /** Where a client may exist. The last one is the client that the spec asks for now; the others will be removed. */
  readonly clients: readonly RecordedClient[];
  /**
   * UIDs of ManagedDatabases. Objects of the Gateway may exist next to the Cluster of each. The last one is the present
   * one.
   */
  readonly databaseUids: readonly string[];
  /** The last milestone whose objects were all created once. */
  readonly stage: Milestone;
  /** A route may exist. */
  readonly routed: boolean;
  /**
   * The seed of the proofs of its objects. Absent before the first pass of a release with proofs, and again after a
   * pass of an older release, which drops it.
   */
  readonly seed?: string | undefined;
  /**
   * Parts that were recorded before there was a seed, so they may exist without a proof. The names are those of
   * `recordedParts`.
   */
  readonly unproven?: readonly string[] | undefined;
}

export interface RecordedClient extends ClientLocation {
  /** The client was created once, so its absence is drift. */
  readonly made: boolean;
  /**
   * The provider's id of the client, recorded before the client was created or taken over: a client with another id is
   * not ours. Absent when an older release created the client. Then the marks of the client count until its id is
   * recorded.
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
    // The status does not show the milestone. Missing objects pass the gates again; existing objects are repaired in
    // any case.
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

/**
 * The parts of a record. This one is the Gateway's namespace; the objects in it have a part of their own, and so do the
 * objects next to a database, by its UID.
 */
const NAMESPACE_PART = 'namespace';
const CONTENT_PART = 'content';

/** The record with a seed. Objects that an older release recorded are taken over by their marks, once. */
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

/** The proof of the objects in the Gateway's namespace. */
export function contentProof(record: GatewayRecord): OwnerProof {
  return proofOfPart(record, CONTENT_PART);
}

/** The proof of the objects next to the Cluster of a ManagedDatabase. */
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
