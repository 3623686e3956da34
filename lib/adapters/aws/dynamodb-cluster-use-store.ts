import type { ClusterUse, ClusterUseStore } from '../../ports/cluster-use-store.ts';
import { clusterUseKey, USE_PARTITION } from '../state-keys.ts';
import { AttributeError, type Item, json, number, readJson, readNumber, readText, text } from './attribute-values.ts';
import type { DynamoDbTable } from './dynamodb-table.ts';

/** Prevents a relay that lost its hold from replacing what a newer relay read later. */
const NOT_BY_NEWER = '(attribute_not_exists(relayEpoch) OR relayEpoch <= :epoch)';

/**
 * Attributes: relayEpoch (of the relay that wrote it), finalizers, leases and schemas (JSON), release, since. Releases before this
 * one read none of these items.
 */
export class DynamoDbClusterUseStore implements ClusterUseStore {
  readonly #table: DynamoDbTable;

  constructor(table: DynamoDbTable) {
    this.#table = table;
  }

  async read(cluster: string): Promise<ClusterUse | undefined> {
    const item = await this.#table.get(clusterUseKey(cluster));
    return item === undefined ? undefined : readUse(cluster, item);
  }

  async list(): Promise<ClusterUse[]> {
    const found: ClusterUse[] = [];
    let last: Item | undefined;
    do {
      const page = await this.#table.query({
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': text(USE_PARTITION) },
        ConsistentRead: true,
        ...(last !== undefined && { ExclusiveStartKey: last }),
      });
      found.push(...page.items.map((item) => readUse(item.sk?.S ?? '', item)));
      last = page.last;
    } while (last !== undefined);
    return found;
  }

  async record(use: ClusterUse, relayEpoch: number): Promise<boolean> {
    const result = await this.#table.update({
      key: clusterUseKey(use.cluster),
      update:
        'SET relayEpoch = :epoch, finalizers = :finalizers, leases = :leases, #schemas = :schemas, #release = :release, since = :since',
      condition: NOT_BY_NEWER,
      names: { '#schemas': 'schemas', '#release': 'release' },
      values: {
        ':epoch': number(relayEpoch),
        ':finalizers': json(use.finalizers),
        ':leases': json({ names: use.leases }),
        ':schemas': json(use.schemas),
        ':release': text(use.release),
        ':since': number(use.sinceMs),
      },
    });
    return result.accepted;
  }

  async forget(cluster: string): Promise<void> {
    await this.#table.delete({ key: clusterUseKey(cluster) });
  }
}

/**
 * A part that cannot be read counts as in use, because a stage that is removed in error cannot be brought back: it is shown under its
 * attribute's name.
 */
function readUse(cluster: string, item: Item): ClusterUse {
  const finalizers = readable(() => readJson<Record<string, string[]>>(item, 'finalizers'), {
    unreadable: ['finalizers'],
  });
  const leases = readable(() => readJson<{ names?: string[] }>(item, 'leases')?.names, ['unreadable']);
  return {
    cluster,
    finalizers: finalizers ?? {},
    leases: leases ?? [],
    schemas: readable(() => readJson<Record<string, string>>(item, 'schemas'), {}) ?? {},
    release: readable(() => readText(item, 'release'), undefined) ?? '',
    sinceMs: readable(() => readNumber(item, 'since'), undefined) ?? 0,
  };
}

function readable<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof AttributeError) return otherwise;
    throw error;
  }
}
