import { InfrastructureError } from '../../core/errors.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { RolloutHalt } from '../../core/rollout.ts';
import type { Checkpoint, ClusterState, ClusterStore, PauseNote, RelayRecord } from '../../ports/state-store.ts';
import { checkpointKey, clusterKey, type TableKey } from '../state-keys.ts';
import {
  AttributeError,
  boolean,
  type Item,
  number,
  readBoolean,
  readNumber,
  readText,
  text,
} from './attribute-values.ts';
import type { DynamoDbTable } from './dynamodb-table.ts';

/** For a renewal: the relay that asks still has the hold. The hold may have expired, but no other relay took it. */
const RELAY_OURS = 'relayOwner = :owner';

/** Prevents two relays of one cluster: no relay has the hold. No clock decides whether a hold has ended. */
const RELAY_FREE = 'attribute_not_exists(relayOwner)';

/** As RELAY_FREE, or the holder has not renewed since the caller found that the hold had expired. */
const RELAY_AS_SEEN =
  '(attribute_not_exists(relayOwner) OR (relayOwner = :seenOwner AND relayEpoch = :seenEpoch AND ' +
  'relayUntil = :seenUntil AND (attribute_not_exists(relayRenewals) OR relayRenewals = :seenRenewals)))';

const COUNT_RENEWAL = 'relayRenewals = if_not_exists(relayRenewals, :zero) + :one';

/** Prevents a relay that lost its hold from raising the counter, and from storing what the cluster shows. */
const RELAY_EPOCH_HELD = 'attribute_exists(relayOwner) AND relayEpoch = :epoch';

/** The attribute of a halted rollout: this prefix and the kind of the controller. */
const HALT_PREFIX = 'halt:';

/** Keeps the first halt of a version, which names the write that came first. */
const NOT_HALTED_YET = '(attribute_not_exists(#halt) OR #halt.#version <> :version)';

/** Prevents an older relay from moving a checkpoint that a newer one has claimed. */
const NOT_CLAIMED_BY_NEWER = '(attribute_not_exists(relayEpoch) OR relayEpoch <= :epoch)';

/**
 * Attributes of a cluster:
 * - incarnation, restoreCounter
 * - restoreSeen: the value that the cluster showed. restoreSeenAt: the restoreCounter at that time. A release that
 *   knows neither of them raises only the counter.
 * - relayOwner, relayUntil, relayEpoch, relayRenewals. The last two stay after the hold has ended, so that no value is
 *   used twice. A release that does not know relayRenewals changes only relayUntil, which shows a renewal too.
 * - breakerOpenUntil, paused, clusterUid
 * - pauseBy, pauseAt: both or neither
 * - halt:KIND: version, reason, message and time of a halted rollout
 *
 * Attributes of a checkpoint: relayEpoch (of the relay that claimed it), incarnation, resourceVersion, heartbeat.
 */
export class DynamoDbClusterStore implements ClusterStore {
  readonly #table: DynamoDbTable;

  constructor(table: DynamoDbTable) {
    this.#table = table;
  }

  async readCluster(cluster: string): Promise<ClusterState> {
    return readable(clusterKey(cluster), (await this.#table.get(clusterKey(cluster))) ?? {}, (item) =>
      readClusterItem(cluster, item),
    );
  }

  /** One request for a renewal, two for a takeover. */
  async holdRelay(
    cluster: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    over?: RelayRecord,
  ): Promise<number | undefined> {
    const values = { ':owner': text(owner), ':until': number(untilMs), ':zero': number(0), ':one': number(1) };
    const renewed = await this.#table.update({
      key: clusterKey(cluster),
      update: `SET relayUntil = :until, ${COUNT_RENEWAL}`,
      condition: RELAY_OURS,
      values,
      returns: 'ALL_NEW',
    });
    if (renewed.accepted) return readNumber(renewed.item, 'relayEpoch');
    const taken = await this.#table.update({
      key: clusterKey(cluster),
      update: `SET relayOwner = :owner, relayUntil = :until, relayEpoch = if_not_exists(relayEpoch, :now) + :one, ${COUNT_RENEWAL}`,
      condition: over === undefined ? RELAY_FREE : RELAY_AS_SEEN,
      values: { ...values, ':now': number(nowMs), ...(over !== undefined && seenValues(over)) },
      returns: 'ALL_NEW',
    });
    return taken.accepted ? readNumber(taken.item, 'relayEpoch') : undefined;
  }

  async releaseRelay(cluster: string, owner: string): Promise<void> {
    await this.#table.update({
      key: clusterKey(cluster),
      update: 'REMOVE relayOwner, relayUntil',
      condition: RELAY_OURS,
      values: { ':owner': text(owner) },
    });
  }

  async raiseRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<number | undefined> {
    const raised = 'if_not_exists(restoreCounter, :zero) + :one';
    const result = await this.#table.update({
      key: clusterKey(cluster),
      update: `SET restoreCounter = ${raised}, restoreSeenAt = ${raised}, restoreSeen = :seen`,
      condition: RELAY_EPOCH_HELD,
      values: { ':epoch': number(relayEpoch), ':seen': number(seen), ':zero': number(0), ':one': number(1) },
      returns: 'ALL_NEW',
    });
    return result.accepted ? readNumber(result.item, 'restoreCounter') : undefined;
  }

  async recordRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<boolean> {
    const result = await this.#table.update({
      key: clusterKey(cluster),
      update: 'SET restoreSeen = :seen, restoreSeenAt = if_not_exists(restoreCounter, :zero)',
      condition: RELAY_EPOCH_HELD,
      values: { ':epoch': number(relayEpoch), ':seen': number(seen), ':zero': number(0) },
    });
    return result.accepted;
  }

  /** One request, and another one to read back when it was refused. */
  async startIncarnation(cluster: string, from: number): Promise<number> {
    const result = await this.#table.update({
      key: clusterKey(cluster),
      update: 'SET incarnation = :next',
      condition: '(attribute_not_exists(incarnation) OR incarnation <= :from)',
      values: { ':from': number(from), ':next': number(from + 1) },
    });
    return result.accepted ? from + 1 : (await this.readCluster(cluster)).incarnation;
  }

  async setBreaker(cluster: string, openUntilMs: number | undefined): Promise<void> {
    const key = clusterKey(cluster);
    if (openUntilMs === undefined) await this.#table.update({ key, update: 'REMOVE breakerOpenUntil' });
    else {
      const values = { ':openUntil': number(openUntilMs) };
      await this.#table.update({ key, update: 'SET breakerOpenUntil = :openUntil', values });
    }
  }

  async setPaused(cluster: string, paused: boolean, note?: PauseNote): Promise<void> {
    const named = note !== undefined && { ':by': text(note.by), ':at': number(note.atMs) };
    const update = named
      ? 'SET paused = :paused, pauseBy = :by, pauseAt = :at'
      : 'SET paused = :paused REMOVE pauseBy, pauseAt';
    await this.#table.update({ key: clusterKey(cluster), update, values: { ':paused': boolean(paused), ...named } });
  }

  async haltRollout(cluster: string, kind: KindId, { version, reason, message, atMs }: RolloutHalt): Promise<void> {
    const halt = { version: text(version), reason: text(reason), message: text(message), at: number(atMs) };
    await this.#table.update({
      key: clusterKey(cluster),
      update: 'SET #halt = :halt',
      condition: NOT_HALTED_YET,
      values: { ':halt': { M: halt }, ':version': halt.version },
      names: { '#halt': `${HALT_PREFIX}${kind}`, '#version': 'version' },
    });
  }

  async resumeRollout(cluster: string, kind: KindId): Promise<void> {
    const names = { '#halt': `${HALT_PREFIX}${kind}` };
    await this.#table.update({ key: clusterKey(cluster), update: 'REMOVE #halt', names });
  }

  async pinClusterUid(cluster: string, uid: string): Promise<string> {
    const result = await this.#table.update({
      key: clusterKey(cluster),
      update: 'SET clusterUid = if_not_exists(clusterUid, :uid)',
      values: { ':uid': text(uid) },
      returns: 'ALL_NEW',
    });
    return (result.accepted ? readText(result.item, 'clusterUid') : undefined) ?? uid;
  }

  async claimCheckpoint(
    cluster: string,
    kind: KindId,
    relayEpoch: number,
  ): Promise<{ fenced: boolean; checkpoint?: Checkpoint }> {
    const result = await this.#table.update({
      key: checkpointKey(cluster, kind),
      update: 'SET relayEpoch = :epoch',
      condition: NOT_CLAIMED_BY_NEWER,
      values: { ':epoch': number(relayEpoch) },
      returns: 'ALL_NEW',
    });
    if (!result.accepted) return { fenced: true };
    const checkpoint = readable(checkpointKey(cluster, kind), result.item, readCheckpointItem);
    return checkpoint === undefined ? { fenced: false } : { fenced: false, checkpoint };
  }

  async saveCheckpoint(cluster: string, kind: KindId, relayEpoch: number, checkpoint: Checkpoint): Promise<boolean> {
    const result = await this.#table.update({
      key: checkpointKey(cluster, kind),
      update:
        'SET relayEpoch = :epoch, incarnation = :incarnation, resourceVersion = :resourceVersion, heartbeat = :heartbeat',
      condition: NOT_CLAIMED_BY_NEWER,
      values: {
        ':epoch': number(relayEpoch),
        ':incarnation': number(checkpoint.incarnation),
        ':resourceVersion': text(checkpoint.resourceVersion),
        ':heartbeat': number(checkpoint.heartbeatMs),
      },
    });
    return result.accepted;
  }

  async readCheckpoint(cluster: string, kind: KindId): Promise<Checkpoint | undefined> {
    const item = await this.#table.get(checkpointKey(cluster, kind));
    return item === undefined ? undefined : readable(checkpointKey(cluster, kind), item, readCheckpointItem);
  }
}

function seenValues({ owner, epoch, untilMs, renewals }: RelayRecord) {
  return {
    ':seenOwner': text(owner),
    ':seenEpoch': number(epoch),
    ':seenUntil': number(untilMs),
    ':seenRenewals': number(renewals),
  };
}

/** Undefined when a release that does not know restoreSeen raised the counter. */
function readSeen(item: Item): number | undefined {
  return readNumber(item, 'restoreSeenAt') === readNumber(item, 'restoreCounter')
    ? readNumber(item, 'restoreSeen')
    : undefined;
}

function readCheckpointItem(item: Item): Checkpoint | undefined {
  const resourceVersion = readText(item, 'resourceVersion');
  if (resourceVersion === undefined) return undefined;
  return {
    incarnation: readNumber(item, 'incarnation') ?? 1,
    resourceVersion,
    heartbeatMs: readNumber(item, 'heartbeat') ?? 0,
  };
}

function readClusterItem(cluster: string, item: Item): ClusterState {
  const restoreCounter = readNumber(item, 'restoreCounter') ?? 0;
  const owner = readText(item, 'relayOwner');
  const breakerOpenUntilMs = readNumber(item, 'breakerOpenUntil');
  const clusterUid = readText(item, 'clusterUid');
  const pauseAtMs = readNumber(item, 'pauseAt');
  return {
    cluster,
    incarnation: readNumber(item, 'incarnation') ?? 1,
    restoreCounter,
    restoreCounterSeen: readSeen(item) ?? restoreCounter,
    ...(owner !== undefined && {
      relay: {
        owner,
        epoch: readNumber(item, 'relayEpoch') ?? 0,
        untilMs: readNumber(item, 'relayUntil') ?? 0,
        renewals: readNumber(item, 'relayRenewals') ?? 0,
      },
    }),
    ...(breakerOpenUntilMs !== undefined && { breakerOpenUntilMs }),
    paused: readBoolean(item, 'paused') ?? false,
    ...(pauseAtMs !== undefined && { pauseNote: { by: readText(item, 'pauseBy') ?? '', atMs: pauseAtMs } }),
    ...(clusterUid !== undefined && { clusterUid }),
    ...readHalts(item),
  };
}

function readHalts(item: Item): Pick<ClusterState, 'halts'> {
  const found = Object.entries(item).flatMap(([name, { M: halt }]) => {
    if (!name.startsWith(HALT_PREFIX)) return [];
    if (halt === undefined) throw new AttributeError(name);
    const read = (field: string) => readText(halt, field) ?? '';
    const what = { version: read('version'), reason: read('reason'), message: read('message') };
    return [[name.slice(HALT_PREFIX.length), { ...what, atMs: readNumber(halt, 'at') ?? 0 }] as const];
  });
  return found.length === 0 ? {} : { halts: Object.fromEntries(found) };
}

/** @throws InfrastructureError that names the item. It is not an ItemError, because the message is not the cause. */
function readable<Value>({ pk, sk }: TableKey, item: Item, read: (item: Item) => Value): Value {
  try {
    return read(item);
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error;
    throw new InfrastructureError(`the item ${pk} ${sk} cannot be read: ${error.message}. Correct it`);
  }
}
