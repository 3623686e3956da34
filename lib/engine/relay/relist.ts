import type { SkinnyEvent } from '../../core/event.ts';
import { parseObjectKey } from '../../core/observation.ts';
import { EdgeCursor } from './edge-cursor.ts';
import { listPages } from './list-objects.ts';
import { type Match, mergeEdges } from './merge-edges.ts';
import { reportUnreadable } from './report-unreadable.ts';
import { type SeenObject, seeObject } from './seen-object.ts';
import type { StreamConnection } from './stream-connection.ts';
import { changedObject, dependencyEvent, ownWakeups, settleWakeups, type Wakeup } from './wakeup.ts';

/** Events are handed to the queue when this many have come together. */
const CHUNK = 500;

/**
 * Up to this many wakeups that rest on an absence wait for the end of the list, so that one that fails half way has woken
 * nobody. Beyond, they are sent as they are found, which is sound as well: the pages are one snapshot, so a name that
 * lies between two listed ones is absent from it.
 */
const HELD_BACK = 2_000;

/**
 * Lists a kind and sends what follows, all of it to the `resync` lane: each object's own event (covered when it was seen
 * before), its owner's and its readers'; then, since a deletion in a watch gap leaves no other trace, the readers of
 * absent objects, and every reader of a list of the kind.
 *
 * A labelled list does not hold an object that lacks our label. Its readers are woken as if it were absent: that costs a
 * pass each, and a relist is rare.
 *
 * @returns the version of the list: the watch goes on from there.
 */
export async function relist(connection: StreamConnection, below: string | undefined): Promise<string> {
  const { deps, stream, signal, incarnation, delivery } = connection;
  const { cluster, store, clock } = deps;
  let listVersion = '';

  async function* objects(): AsyncGenerator<SeenObject> {
    const pages = listPages({
      api: deps.api,
      stream,
      pageSize: connection.options.pageSize,
      signal,
      keep: (object) => seeObject(connection.view, stream.kind, object, 'updated'),
    });
    for await (const page of pages) {
      if (listVersion === '') {
        listVersion = page.resourceVersion;
        await connection.verifyNotRestored(listVersion, below);
      }
      connection.beat(1);
      for (const object of page.unreadable) reportUnreadable(deps, stream.kind.id, object, listVersion);
      yield* page.items;
    }
  }

  let chunk: Wakeup[] = [];
  let heldBack: SkinnyEvent[] = [];
  const flush = async () => {
    const wakeups = chunk;
    chunk = [];
    await delivery.deliver('resync', await settleWakeups(store, wakeups), signal);
  };

  for await (const match of matches(connection, objects())) {
    const stamp = { incarnation, atMs: clock.now() };
    switch (match.type) {
      case 'object':
        chunk.push(...ownWakeups(match.object, cluster, stamp));
        break;
      case 'present': {
        const { object, edge } = match;
        if (edge.reader.uid === object.uid) break;
        const event = dependencyEvent(edge.reader, stamp, changedObject(object));
        chunk.push({ event, onlyIfKnown: false });
        break;
      }
      case 'absent':
      case 'list': {
        const { kind, namespace, name } = parseObjectKey(match.edge.key);
        const absent = { kind, namespace, name, absentAt: listVersion };
        heldBack.push(dependencyEvent(match.edge.reader, stamp, absent));
        break;
      }
    }
    if (heldBack.length > HELD_BACK) {
      chunk.push(...heldBack.map((event) => ({ event, onlyIfKnown: false })));
      heldBack = [];
    }
    if (chunk.length >= CHUNK) await flush();
  }
  await flush();
  await delivery.deliver('resync', heldBack, signal);
  return listVersion;
}

async function* matches(connection: StreamConnection, objects: AsyncIterable<SeenObject>): AsyncGenerator<Match> {
  const { deps, stream } = connection;
  if (stream.kind.read) {
    yield* mergeEdges(objects, new EdgeCursor(deps.store, deps.cluster, stream.kind.id, stream.namespace));
  } else {
    for await (const object of objects) yield { type: 'object', object };
  }
}
