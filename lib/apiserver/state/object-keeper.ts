import type { TransportResponse } from '../../adapters/kubernetes/transport.ts';
import { isObject, type JsonObject, jsonText, objectAt, parseJson, stringAt } from '../json.ts';
import type { Change } from './store.ts';
import { StoredObject } from './stored-object.ts';

/** One write, as text. A deletion has no body. */
export interface KeptWrite {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object in its storage version, as JSON. */
  readonly body: string | undefined;
}

/** What an earlier process stored. */
export interface KeptCluster {
  readonly objects: Iterable<{ readonly collection: string; readonly key: string; readonly body: string }>;
  /** The revision of the last write to each collection; deletions count. */
  readonly revisions: ReadonlyMap<string, number>;
}

/** Stores the objects of a server, so that they outlive its process. */
export interface ObjectKeeper {
  /** Called within each write, in the order of the revisions. */
  keep(write: KeptWrite): void;
  /**
   * Resolves when every write so far is stored. Before that, no client gets an answer and no watch gets an event: a
   * version that a client has seen must never be given to another write.
   */
  kept(): Promise<void>;
}

export function keptWrite({ revision, collection, before, after }: Change): KeptWrite {
  const key = (after ?? before)?.key ?? '';
  return { collection, key, revision, body: after === undefined ? undefined : jsonText(after.object) };
}

/** @throws Error that names the object and shows none of its content. */
export function keptObject({
  collection,
  key,
  body,
}: Omit<KeptWrite, 'revision' | 'body'> & { body: string }): StoredObject {
  const object = parsed(body);
  const revision = Number(stringAt(objectAt(object, 'metadata'), 'resourceVersion'));
  if (object === undefined || !Number.isSafeInteger(revision) || revision <= 0) {
    throw new Error(`the kept object ${key} of ${collection} cannot be read`);
  }
  return new StoredObject(key, revision, object, undefined);
}

function parsed(body: string): JsonObject | undefined {
  try {
    const value = parseJson(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Delays an answer until the writes that it shows are stored. */
export async function responseAfterKept(
  pending: Promise<TransportResponse>,
  keeper: ObjectKeeper,
): Promise<TransportResponse> {
  const response = await pending;
  await keeper.kept();
  return { ...response, chunks: () => afterKept(response.chunks(), keeper) };
}

/** The chunks of a watch. Each one is delayed until the writes that it reports are stored. */
async function* afterKept(chunks: AsyncIterable<Uint8Array>, keeper: ObjectKeeper): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await keeper.kept();
    yield chunk;
  }
}
