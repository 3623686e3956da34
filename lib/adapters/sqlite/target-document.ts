import { z } from 'zod';
import { ItemError } from '../../core/errors.ts';
import { STATE_FORMAT } from '../../core/installation.ts';
import { type TargetKey, targetId } from '../../core/target.ts';
import type { LastOutcome, TargetState } from '../../ports/state-store.ts';
import { joinObjectName, splitObjectName } from '../state-keys.ts';
import { parseBody, type StoredItem, UnreadableItem } from './item-table.ts';

/**
 * The item of a target: the fields of TargetState, with the same names, and these:
 * - format: the STATE_FORMAT of the release that wrote it
 * - objectName: namespace/name of the target. Absent when it was forgotten; then only the epochs are left.
 *
 * Fields that this release does not know are kept.
 */
const documentSchema = z.looseObject({
  format: z.number(),
  objectName: z.string().optional(),
  lease: z.object({ owner: z.string(), attempt: z.string(), untilMs: z.number() }).optional(),
  epoch: z.number(),
  committedEpoch: z.number(),
  dirty: z.array(z.string()).optional(),
  incarnation: z.number().optional(),
  observedVersion: z.number().optional(),
  observedGeneration: z.number().optional(),
  failures: z.number().optional(),
  bucket: z.object({ tokens: z.number(), atMs: z.number() }).optional(),
  // A controller may have stored any JSON. Its item stays readable, and the controller gets back the value that it
  // stored.
  values: z.unknown().optional(),
  dueAtMs: z.number().optional(),
  dueSetAtMs: z.number().optional(),
  wakeSent: z.boolean().optional(),
  versions: z.record(z.string(), z.number()).optional(),
  edges: z.array(z.string()).optional(),
  rememberedWrites: z.array(z.string()).optional(),
  reconcilerVersion: z.string().optional(),
  lastOutcome: z
    .looseObject({
      type: z.string(),
      reason: z.string(),
      message: z.string(),
      atMs: z.number(),
      durationMs: z.number(),
      cause: z.string(),
    })
    .optional(),
  // The history is only shown, so a value of another type is ignored.
  pastPasses: z.string().optional().catch(undefined),
  conditionOwners: z.record(z.string(), z.enum(['controller', 'engine'])).optional(),
});

type TargetDocument = z.infer<typeof documentSchema>;

const KNOWN = new Set(Object.keys(documentSchema.shape));

/** The stored fields of a target. */
export type KnownTarget =
  | { readonly type: 'known'; readonly state: TargetState; readonly unknownFields: object }
  | { readonly type: 'forgotten'; readonly epoch: number };

/** @throws ItemError that names the target, when a newer release wrote the item or somebody else changed it. */
export function readTargetItem(key: TargetKey, item: StoredItem): KnownTarget {
  let document: TargetDocument;
  try {
    document = parseBody(documentSchema, item);
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error;
    throw new ItemError(
      `the item of target ${targetId(key)} cannot be read: ${error.message}. Delete the item and request a pass`,
      { cause: error },
    );
  }
  if (document.format > STATE_FORMAT) {
    throw new ItemError(
      `the item of target ${targetId(key)} has format ${document.format}, and this release reads ${STATE_FORMAT} at most: install the newer release again`,
      { data: { format: document.format } },
    );
  }
  if (document.objectName === undefined) return { type: 'forgotten', epoch: document.epoch };
  const unknownFields = Object.fromEntries(Object.entries(document).filter(([name]) => !KNOWN.has(name)));
  return { type: 'known', state: stateOf(key, document.objectName, document), unknownFields };
}

function stateOf(key: TargetKey, objectName: string, document: TargetDocument): TargetState {
  const { lease, incarnation, observedVersion, observedGeneration, bucket, dueAtMs, dueSetAtMs } = document;
  const { rememberedWrites, reconcilerVersion, lastOutcome, pastPasses, conditionOwners } = document;
  return {
    target: { cluster: key.cluster, kind: key.kind, uid: key.uid, ...splitObjectName(objectName) },
    ...(lease !== undefined && { lease }),
    epoch: document.epoch,
    committedEpoch: document.committedEpoch,
    dirty: document.dirty ?? [],
    ...(incarnation !== undefined && { incarnation }),
    ...(observedVersion !== undefined && { observedVersion }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    failures: document.failures ?? 0,
    ...(bucket !== undefined && { bucket }),
    values: (document.values as TargetState['values'] | undefined) ?? {},
    ...(dueAtMs !== undefined && { dueAtMs }),
    ...(dueSetAtMs !== undefined && { dueSetAtMs }),
    wakeSent: document.wakeSent ?? false,
    versions: document.versions ?? {},
    edges: document.edges ?? [],
    ...(rememberedWrites !== undefined && { rememberedWrites }),
    ...(reconcilerVersion !== undefined && { reconcilerVersion }),
    ...(lastOutcome !== undefined && { lastOutcome: lastOutcome as unknown as LastOutcome }),
    ...(pastPasses !== undefined && { pastPasses }),
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
}

/** As readTargetItem. For an unreadable item it returns the reason, and only the key of the target. */
export function readListedItem(key: TargetKey, item: StoredItem): TargetState | undefined {
  try {
    const known = readTargetItem(key, item);
    return known.type === 'known' ? known.state : undefined;
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    return {
      target: { cluster: key.cluster, kind: key.kind, uid: key.uid, ...splitObjectName(addressIn(item)) },
      ...NOTHING_KNOWN,
      unreadable: error.message,
    };
  }
}

const NOTHING_KNOWN = {
  epoch: 0,
  committedEpoch: 0,
  dirty: [],
  failures: 0,
  values: {},
  wakeSent: false,
  versions: {},
  edges: [],
} as const;

/** The address, if at least that is readable. */
function addressIn({ body }: StoredItem): string {
  try {
    const { objectName } = JSON.parse(body) as { objectName?: unknown };
    return typeof objectName === 'string' ? objectName : '/';
  } catch {
    return '/';
  }
}

/** The item of a known target. */
export function targetBody({ target, ...fields }: TargetState, unknownFields: object): object {
  return { ...unknownFields, format: STATE_FORMAT, objectName: joinObjectName(target), ...fields };
}

/** The fields that are kept when a target is forgotten. */
export function forgottenBody(epoch: number): object {
  return { format: STATE_FORMAT, epoch, committedEpoch: epoch };
}
