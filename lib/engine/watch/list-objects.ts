import type { KubeObject } from '../../core/kube-object.ts';
import type { ClusterApi, UnreadableObject } from '../../ports/cluster-api.ts';
import type { WatchStream } from './watch-stream.ts';

export interface ListRequest<Kept> {
  readonly api: ClusterApi;
  readonly stream: WatchStream;
  /** The most objects of one page. A page of large objects has fewer. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** The needed fields of an object. The page itself is released at once. */
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
 * The pages of one list of object metadata. Together they are one snapshot, at the version of the first page. If a page
 * fails, the whole list fails, and the pages before it prove no absence beyond their last object.
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

/** A separate function, so that no variable refers to the page while its objects are handled. */
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
