import { z } from 'zod';
import { InfrastructureError } from '../../core/errors.ts';
import type { Checkpoint, ClusterState } from '../../ports/state-store.ts';
import type { TableKey } from '../state-keys.ts';
import { parseBody, type StoredItem, UnreadableItem } from './item-table.ts';

/**
 * The item of a cluster: the fields of ClusterState, with the same names. relayEpoch and relayRenewals are kept after
 * the hold has ended, so that no value is used twice.
 */
const clusterSchema = z.looseObject({
  incarnation: z.number().default(1),
  restoreCounter: z.number().default(0),
  restoreCounterSeen: z.number().default(0),
  relay: z.object({ owner: z.string(), epoch: z.number(), untilMs: z.number(), renewals: z.number() }).optional(),
  relayEpoch: z.number().optional(),
  relayRenewals: z.number().optional(),
  breakerOpenUntilMs: z.number().optional(),
  paused: z.boolean().default(false),
  pauseNote: z.object({ by: z.string(), atMs: z.number() }).optional().catch(undefined),
  clusterUid: z.string().optional(),
  halts: z
    .record(z.string(), z.object({ version: z.string(), reason: z.string(), message: z.string(), atMs: z.number() }))
    .optional(),
});

export type ClusterDocument = z.infer<typeof clusterSchema>;

/** The item of a checkpoint: the relay that claimed it, and the checkpoint, if there is one. */
const checkpointSchema = z.looseObject({
  relayEpoch: z.number(),
  checkpoint: z.object({ incarnation: z.number(), resourceVersion: z.string(), heartbeatMs: z.number() }).optional(),
});

export type CheckpointDocument = z.infer<typeof checkpointSchema>;

/** A cluster without an item is in its first incarnation. @throws InfrastructureError */
export function readClusterItem(key: TableKey, item: StoredItem | undefined): ClusterDocument {
  return readable(key, () => parseBody(clusterSchema, item ?? { body: '{}' }));
}

/** @throws InfrastructureError */
export function readCheckpointItem(key: TableKey, item: StoredItem | undefined): CheckpointDocument | undefined {
  return item === undefined ? undefined : readable(key, () => parseBody(checkpointSchema, item));
}

export function clusterState(cluster: string, document: ClusterDocument): ClusterState {
  const { incarnation, restoreCounter, restoreCounterSeen, relay, breakerOpenUntilMs, paused, pauseNote } = document;
  const { clusterUid, halts } = document;
  return {
    cluster,
    incarnation,
    restoreCounter,
    restoreCounterSeen,
    ...(relay !== undefined && { relay }),
    ...(breakerOpenUntilMs !== undefined && { breakerOpenUntilMs }),
    paused,
    ...(pauseNote !== undefined && { pauseNote }),
    ...(clusterUid !== undefined && { clusterUid }),
    ...(halts !== undefined && { halts }),
  };
}

export function checkpointOf(document: CheckpointDocument | undefined): { checkpoint?: Checkpoint } {
  return document?.checkpoint === undefined ? {} : { checkpoint: document.checkpoint };
}

/** @throws InfrastructureError that names the item. It is not an ItemError, because the message is not the cause. */
function readable<Document>({ pk, sk }: TableKey, read: () => Document): Document {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error;
    throw new InfrastructureError(`the item ${pk} ${sk} cannot be read: ${error.message}. Correct it`, {
      cause: error,
    });
  }
}
