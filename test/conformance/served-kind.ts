import type { JsonObject } from '../../lib/apiserver/json.ts';
import type { ApiResponse, ApiServer } from '../real-apiserver/connect-api-server.ts';
import { until } from '../real-apiserver/until.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind that the real API server serves: cluster-scoped, with one version `v1` and an optional status subresource. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of the collection. */
  readonly path: string;
  remove(): Promise<void>;
}

/** The definition of a kind with this plural name, in a group of its own. */
export function definitionOf(plural: string, schema: JsonObject, status = false): JsonObject {
  const group = `${plural}.conformance.example.com`;
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [status ? { ...version, subresources: { status: {} } } : version],
    },
  };
}

/** Installs a kind and waits until it is served. */
export async function serveKind(
  server: ApiServer,
  plural: string,
  schema: JsonObject,
  status = false,
): Promise<ServedKind> {
  const group = `${plural}.conformance.example.com`;
  const path = `/apis/${group}/v1/${plural}`;
  await server.expectOk({ method: 'POST', path: definitions, body: definitionOf(plural, schema, status) });
  await until(async () => (await server.request({ method: 'GET', path })).status === 200);
  return {
    apiVersion: `${group}/v1`,
    kind: plural.charAt(0).toUpperCase() + plural.slice(1, -1),
    path,
    async remove() {
      await server.request({ method: 'DELETE', path: `${definitions}/${plural}.${group}` });
    },
  };
}

/** Checks whether the server would accept a definition, without installing it. */
export function tryDefinition(server: ApiServer, plural: string, schema: JsonObject): Promise<ApiResponse> {
  return server.request({ method: 'POST', path: `${definitions}?dryRun=All`, body: definitionOf(plural, schema) });
}

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** The causes of a refusal, as `field: message`. Sorted, because the real server returns them in no fixed order. */
export function causesOf(response: ApiResponse): string[] {
  if (response.status < 300) return [];
  const { message = '', details } = response.json<Status>();
  if (details?.causes === undefined) return [message];
  return details.causes.map((cause) => `${cause.field}: ${cause.message}`).sort();
}
