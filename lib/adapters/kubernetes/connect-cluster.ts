import type { Clock } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { SchemaDigests } from '../../ports/schema-digests.ts';
import type { ClusterConnection } from './connection/cluster-connection.ts';
import { HttpTransport } from './http-transport.ts';
import { KubernetesClusterApi } from './kubernetes-cluster-api.ts';
import { OpenApiSchemas } from './open-api-schemas.ts';
import type { Transport } from './transport.ts';

export interface ConnectClusterOptions {
  readonly connection: ClusterConnection;
  /** `evenkeel/<version> <function>`; API servers log it. */
  readonly userAgent: string;
  readonly clock: Clock;
  /** 10 s by default. */
  readonly requestTimeoutMs?: number;
  /** The largest number of parallel requests; 16 by default. Watches do not count. */
  readonly connections?: number;
  /** Wraps the transport, e.g. to count requests or to refuse writes. */
  readonly wrap?: (transport: Transport) => Transport;
}

export interface ConnectedCluster {
  readonly api: ClusterApi;
  readonly schemas: SchemaDigests;
  /** Aborts running requests, and closes all connections. */
  close(): Promise<void>;
}

/**
 * The API of a cluster over HTTP. It connects at the first request, so this call does not fail when the cluster cannot
 * be reached.
 */
export function connectCluster(options: ConnectClusterOptions): ConnectedCluster {
  const { connection, connections, wrap = (wrapped) => wrapped, ...rest } = options;
  const http = new HttpTransport(connections === undefined ? { connection } : { connection, connections });
  const transport = wrap(http);
  return {
    api: new KubernetesClusterApi({ ...rest, transport }),
    schemas: new OpenApiSchemas(transport, rest.clock),
    close: () => http.close(),
  };
}
