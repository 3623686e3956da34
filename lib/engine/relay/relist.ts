import type { ChangedObject } from '../../core/changed-object.ts';
import { type EdgeKey, parseObjectKey } from '../../core/observation.ts';
import type { Edge } from '../../ports/state-store.ts';
import { EdgeCursor } from '../fanout/edge-cursor.ts';
import { ReaderCount, type ReaderDependencies } from '../fanout/readers.ts';
import { reportUnreadable } from '../fanout/report-unreadable.ts';
import { type SeenObject, seeObject } from '../fanout/seen-object.ts';
import { changedObject, dependencyEvent, ownWakeups, type Stamp, selectEvents, type Wakeup } from '../fanout/wakeup.ts';
import { recordWideChanges, type WideChange, wideChange } from '../fanout/wide-change.ts';
import { listPages } from '../watch/list-objects.ts';
import { type Match, mergeEdges } from './merge-edges.ts';
import type { StreamConnection } from './stream-connection.ts';

/** Sends the events when this many have come together. */
const CHUNK = 500;

/**
 * Up to this many wakeups for absent objects wait for the end of the list, so that a list that fails half way has woken no
 * reader. Beyond this number they are sent as they are found. This is also correct: the pages are one snapshot, so a name
 * that lies between two listed ones is absent from it.
 */
const HELD_BACK = 2_000;

/**
 * Lists a kind and sends the resulting events, all by the `resync` lane. For each object it sends its own event (covered when
 * it was seen before), and the events of its owner and its readers. Then it sends events to the readers of absent objects,
 * because a deletion in a watch gap leaves no other trace, and to every reader of a list of the kind.
 *
 * A labelled list does not hold an object that lacks our label. Its readers get an event as if it were absent. This costs one
 * pass each, and a relist is rare.
 *
 * @returns the version of the list, from which the watch continues.
 */
export async function relist(connection: StreamConnection, below: string | undefined): Promise<string> {
  const { deps, signal, incarnation, delivery } = connection;
  const { cluster, clock } = deps;
  const list: ListHead = { version: '' };
  let chunk = new Found();
  let heldBack = new Found();
  let run: ReaderRun | undefined;
  const send = async (found: Found) => {
    const events = await selectEvents(deps, found.wakeups);
    const rounds = await recordWideChanges(deps, found.wide, clock.now(), true);
    await delivery.deliver('resync', [...events, ...rounds], signal);
  };
  /** All edges of a key come together, so the readers of a key are complete when another key comes. */
  const endRun = () => {
    run?.endInto(run.isAbsence ? heldBack : chunk);
    run = undefined;
  };

  for await (const match of matches(connection, listedObjects(connection, below, list))) {
    const stamp = { incarnation, atMs: clock.now() };
    if (match.type === 'object') {
      chunk.wakeups.push(...ownWakeups(match.object, cluster, stamp));
    } else {
      const { edge } = match;
      if (run?.edgeKey !== edge.key) {
        endRun();
        const absent = { ...parseObjectKey(edge.key), absentAt: list.version };
        const changed = match.type === 'present' ? changedObject(match.object) : absent;
        const counted = { cluster, registry: deps.registry, directReaders: connection.options.directReaders };
        run = new ReaderRun(counted, edge.key, stamp, changed, match.type !== 'present');
      }
      if (match.type !== 'present' || edge.reader.uid !== match.object.uid) run.add(edge);
    }
    if (heldBack.size > HELD_BACK) {
      chunk.takeOver(heldBack);
      heldBack = new Found();
    }
    if (chunk.size >= CHUNK) {
      const full = chunk;
      chunk = new Found();
      await send(full);
    }
  }
  endRun();
  await send(chunk);
  await send(heldBack);
  return list.version;
}

/** Set when the first page has come. */
interface ListHead {
  version: string;
}

/** Returns page by page. Stores in `list` the version at which the list was made. */
async function* listedObjects(
  connection: StreamConnection,
  below: string | undefined,
  list: ListHead,
): AsyncGenerator<SeenObject> {
  const { deps, stream, signal } = connection;
  const pages = listPages({
    api: deps.api,
    stream,
    pageSize: connection.options.pageSize,
    signal,
    keep: (object) => seeObject(connection.view, stream.kind, object, 'updated'),
  });
  for await (const page of pages) {
    if (list.version === '') {
      list.version = page.resourceVersion;
      await connection.verifyNotRestored(list.version, below);
    }
    connection.beat(1);
    for (const object of page.unreadable) reportUnreadable(deps, stream.kind.id, object, list.version);
    yield* page.items;
  }
}

/** The events of a list, until they are sent. */
class Found {
  readonly wakeups: Wakeup[] = [];
  readonly wide: WideChange[] = [];

  get size(): number {
    return this.wakeups.length + this.wide.length;
  }

  takeOver({ wakeups, wide }: Found): void {
    this.wakeups.push(...wakeups);
    this.wide.push(...wide);
  }
}

/** The readers of one key, as the edges show them. */
class ReaderRun {
  readonly edgeKey: EdgeKey;
  readonly isAbsence: boolean;
  readonly #cluster: string;
  readonly #stamp: Stamp;
  readonly #changed: ChangedObject;
  readonly #count: ReaderCount;

  constructor(
    options: Omit<ReaderDependencies, 'store'> & { cluster: string },
    edgeKey: EdgeKey,
    stamp: Stamp,
    changed: ChangedObject,
    isAbsence: boolean,
  ) {
    this.edgeKey = edgeKey;
    this.isAbsence = isAbsence;
    this.#cluster = options.cluster;
    this.#stamp = stamp;
    this.#changed = changed;
    this.#count = new ReaderCount(options);
  }

  add(edge: Edge): void {
    this.#count.add(edge);
  }

  endInto(found: Found): void {
    for (const [group, edges] of this.#count.byGroup()) {
      if (edges === 'many') {
        found.wide.push(wideChange(this.#cluster, group, this.#stamp.incarnation, this.#changed));
        continue;
      }
      for (const { reader } of edges) {
        found.wakeups.push({ event: dependencyEvent(reader, this.#stamp, this.#changed), onlyIfKnown: false });
      }
    }
  }
}

async function* matches(connection: StreamConnection, objects: AsyncIterable<SeenObject>): AsyncGenerator<Match> {
  const { deps, stream } = connection;
  if (stream.kind.read) {
    yield* mergeEdges(objects, new EdgeCursor(deps.store, deps.cluster, stream.kind.id, stream.namespace));
  } else {
    for await (const object of objects) yield { type: 'object', object };
  }
}
