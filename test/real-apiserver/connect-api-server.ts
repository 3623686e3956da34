import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { type AuditEntry, AuditLog, type AuditMark } from './audit-log.ts';

/** Where a real API server is and how to get in: plain data, so that it can be handed to another process. */
export interface ApiServerAddress {
  /** https://127.0.0.1:<port> */
  readonly url: string;
  readonly caFile: string;
  /** Of a user in system:masters, who may do everything. */
  readonly adminToken: string;
  readonly kubeconfigPath: string;
  readonly auditLogFile: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path with its query string, already percent-encoded. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Defaults to the admin's. */
  readonly token?: string;
  /** Header names in lower case. The content type defaults to application/json, or merge patch for PATCH. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  /** The body, taken to be of that shape. */
  json<T = KubernetesObject>(): T;
}

/** What a test that reads an object back usually looks at. */
export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly [field: string]: unknown;
}

/** A real API server as a test sees it. */
export interface ApiServer extends ApiServerAddress {
  readonly caPem: string;
  /** The admin's kubeconfig, as text. */
  readonly kubeconfig: string;
  /** Resolves for every status; rejects only when no whole response came. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Like request, but an answer other than 2xx is thrown, with the server's words. */
  expectOk(request: ApiRequest): Promise<ApiResponse>;
  /** Every request that the server itself recorded as arrived after the mark, and answered before this call. */
  auditEntries(since?: AuditMark): Promise<AuditEntry[]>;
  /** Now, in the audit log: for counting what happens from here on. */
  auditMark(): Promise<AuditMark>;
  /** Drops the connections; the server goes on. */
  disconnect(): Promise<void>;
}

export async function connectApiServer(address: ApiServerAddress): Promise<ApiServer> {
  const caPem = await readFile(address.caFile, 'utf8');
  const kubeconfig = await readFile(address.kubeconfigPath, 'utf8');
  const connections = new Agent({ connect: { ca: caPem } });

  const send = async ({ method, path, body, token, headers }: ApiRequest): Promise<ApiResponse> => {
    const response = await request(address.url + path, {
      method,
      dispatcher: connections,
      headers: {
        authorization: `Bearer ${token ?? address.adminToken}`,
        'user-agent': 'evenkeel-test',
        ...(body !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, text, json: <T>() => JSON.parse(text) as T };
  };
  const auditLog = new AuditLog(address.auditLogFile, async (auditID) => {
    await send({ method: 'GET', path: '/version', headers: { 'audit-id': auditID } });
  });

  return {
    ...address,
    caPem,
    kubeconfig,
    request: send,
    async expectOk(wanted) {
      const response = await send(wanted);
      if (response.status < 200 || response.status > 299) {
        throw new Error(`${wanted.method} ${wanted.path} was answered ${response.status}: ${response.text}`);
      }
      return response;
    },
    auditEntries: (since) => auditLog.entries(since),
    auditMark: () => auditLog.mark(),
    disconnect: () => connections.destroy(),
  };
}
