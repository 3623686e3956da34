import type { WatchEvent } from '../../ports/cluster-api.ts';
import { reportUnreadable } from '../fanout/report-unreadable.ts';
import { type Change, type SeenObject, seeObject, seeUnreadable } from '../fanout/seen-object.ts';
import { LinkedAbort } from '../linked-abort.ts';
import { type Affected, affectedBy } from './affected.ts';
import { BatchDelivery } from './batch-delivery.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import type { StreamConnection } from './stream-connection.ts';
import { watchUntilIdle } from './watch-until-idle.ts';

/** The part of a watch event that is kept until the event is handled. */
interface WatchItem {
  readonly resourceVersion: string;
  /** Absent for a bookmark. */
  readonly seen?: SeenObject;
}

const CHANGES: Readonly<Record<Extract<WatchEvent, { object: unknown }>['type'], Change>> = {
  ADDED: 'created',
  MODIFIED: 'updated',
  DELETED: 'deleted',
};

/**
 * Watches from a version on until the server ends the watch. Events are handled in their order; events that arrive together
 * are one batch. While one batch is sent, the next batch is read ahead, and no more. The checkpoint moves after the queue
 * accepted a whole batch. Events that were read before the connection failed are still handled.
 * @param onAlive called at the first event or bookmark.
 * @throws the error that ended the watch, if the server did not end it.
 */
export async function followWatch(connection: StreamConnection, from: string, onAlive: () => void): Promise<void> {
  const buffer = new BoundedBuffer<WatchItem>(connection.options.batchSize);
  using reader = new LinkedAbort(connection.signal);
  const reading = readWatch(connection, from, reader.signal, buffer, onAlive).finally(() => buffer.close());
  reading.catch(() => {});
  const stopReading = (error: unknown) => {
    reader.abort(error);
    buffer.close();
  };
  try {
    await handleBatches(connection, buffer, stopReading);
  } catch (error) {
    stopReading(error);
    await reading.catch(() => {});
    throw error;
  }
  await reading;
}

async function readWatch(
  connection: StreamConnection,
  from: string,
  signal: AbortSignal,
  buffer: BoundedBuffer<WatchItem>,
  onAlive: () => void,
): Promise<void> {
  const { deps, options, stream } = connection;
  const { min, max } = options.watchSeconds;
  const request = {
    metadataOnly: true,
    resourceVersion: from,
    timeoutSeconds: Math.round(min + deps.entropy.random() * (max - min)),
    ...(stream.namespace === '' ? {} : { namespace: stream.namespace }),
    ...(stream.labelSelector === undefined ? {} : { labelSelector: stream.labelSelector }),
  };
  const open = (inner: AbortSignal) => deps.api.watch(stream.kind.type, { ...request, signal: inner });
  let isFirst = true;
  let reached = from;
  for await (const event of watchUntilIdle(open, { idleMs: options.idleMs, clock: deps.clock, signal })) {
    if (isFirst) {
      // Only now is the connection known to exist. A restore after this moment ends the connection, and the check finds a
      // restore before it.
      await connection.verifyNotRestored();
      onAlive();
      isFirst = false;
    }
    const item = watchItem(connection, event, reached);
    reached = item.resourceVersion;
    await buffer.put(item);
  }
}

/** @param reached the version of the event before. */
function watchItem({ deps, stream, view }: StreamConnection, event: WatchEvent, reached: string): WatchItem {
  if (event.type === 'BOOKMARK') return { resourceVersion: event.resourceVersion };
  if (event.type === 'UNREADABLE') {
    const { unreadable, resourceVersion = reached } = event;
    reportUnreadable(deps, stream.kind.id, unreadable, reached);
    return unreadable.name === ''
      ? { resourceVersion }
      : { resourceVersion, seen: seeUnreadable(stream.kind, unreadable) };
  }
  const { resourceVersion } = event.object.metadata;
  return { resourceVersion, seen: seeObject(view, stream.kind, event.object, CHANGES[event.type]) };
}

async function handleBatches(
  connection: StreamConnection,
  buffer: BoundedBuffer<WatchItem>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const delivery = new BatchDelivery(connection, onFailure);
  try {
    for (;;) {
      const items = await buffer.takeAll();
      const last = items.at(-1);
      if (last === undefined) return;
      await delivery.deliver(await affectedItems(connection, items), last.resourceVersion);
    }
  } finally {
    await delivery.settle();
  }
}

async function affectedItems(connection: StreamConnection, items: readonly WatchItem[]): Promise<Affected> {
  const { deps, options, stream } = connection;
  connection.beat(items.length);
  const seen = items.flatMap((item) => item.seen ?? []);
  if (seen.length === 0) return { wakeups: [], wide: [] };
  deps.metrics.record('RelayEvent', seen.length, { Cluster: deps.cluster, Kind: stream.kind.id });
  const stamp = { incarnation: connection.incarnation, atMs: deps.clock.now() };
  const { cluster, store, registry } = deps;
  const { directReaders } = options;
  return await affectedBy(seen, stamp, { cluster, store, registry, directReaders });
}
