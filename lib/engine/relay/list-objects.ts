import type { ClusterApi, ListPage } from '../../ports/cluster-api.ts';
import type { WatchStream } from './watch-stream.ts';

export interface ListRequest {
  readonly api: ClusterApi;
  readonly stream: WatchStream;
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/**
 * The pages of one list of object metadata. Together they are one snapshot, at the version of the first; when one fails,
 * so does the whole list, and what came before proves no absence beyond its last object.
 */
export async function* listPages({ api, stream, pageSize, signal }: ListRequest): AsyncGenerator<ListPage> {
  const { kind, namespace, labelSelector } = stream;
  let continueToken: string | undefined;
  do {
    const page = await api.list(kind.type, {
      metadataOnly: true,
      limit: pageSize,
      signal,
      ...(namespace === '' ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(continueToken === undefined ? {} : { continueToken }),
    });
    continueToken = page.continueToken === '' ? undefined : page.continueToken;
    yield page;
  } while (continueToken !== undefined);
}
