import type { KubeObject } from '../../core/kube-object.ts';
import type { ClusterApi, UnreadableObject } from '../../ports/cluster-api.ts';
import type { WatchStream } from './watch-stream.ts';

export interface ListRequest<Kept> {
  readonly api: ClusterApi;
  readonly stream: WatchStream;
  /** Objects a page at most; there are fewer when they are large. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** What is needed of an object: the page itself is let go at once. */
  readonly keep: (object: KubeObject) => Kept;
}

export interface KeptPage<Kept> {
  /** The version the list was read at. */
  readonly resourceVersion: string;
  readonly items: readonly Kept[];
  /** Objects of the page that cannot be read. Nothing may be concluded about them, least of all their absence. */
  readonly unreadable: readonly UnreadableObject[];
}

/**
 * The pages of one list of object metadata. Together they are one snapshot, at the version of the first; when one fails,
 * so does the whole list, and what came before proves no absence beyond its last object.
 */
export async function* listPages<Kept>(request: ListRequest<Kept>): AsyncGenerator<KeptPage<Kept>> {
  let place: Place | undefined = { limit: request.pageSize };
  do {
    const read: Awaited<ReturnType<typeof readPage<Kept>>> = await readPage(request, place);
    place = read.next;
    yield read.page;
  } while (place !== undefined);
}

interface Place {
  readonly limit: number;
  readonly continueToken?: string;
}

/** A function of its own, so that nothing refers to the page any more while what is kept of it is worked on. */
async function readPage<Kept>(
  { api, stream, pageSize, signal, keep }: ListRequest<Kept>,
  { limit, continueToken }: Place,
): Promise<{ page: KeptPage<Kept>; next: Place | undefined }> {
  const { kind, namespace, labelSelector } = stream;
  const page = await api.list(kind.type, {
    metadataOnly: true,
    skipUnreadable: true,
    limit,
    signal,
    ...(namespace === '' ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(continueToken === undefined ? {} : { continueToken }),
  });
  const { resourceVersion, items, unreadable = [], continueToken: more = '', nextLimit = pageSize } = page;
  const next = more === '' ? undefined : { limit: Math.min(pageSize, nextLimit), continueToken: more };
  return { page: { resourceVersion, items: items.map(keep), unreadable }, next };
}
