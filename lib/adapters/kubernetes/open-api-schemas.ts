import type { JsonObject } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { ApiError, type CallOptions } from '../../ports/cluster-api.ts';
import type { PublishedSchemas } from '../../ports/published-schemas.ts';
import type { SchemaDigests } from '../../ports/schema-digests.ts';
import { CallDeadline } from '../http/call-deadline.ts';
import { MAX_OBJECT_BYTES, readBody } from '../http/read-body.ts';
import { answerError, malformed } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { callFailure } from './call-failure.ts';
import { isRecord, parseJson } from './status-body.ts';
import type { Transport } from './transport.ts';

const TIMEOUT_MS = 10_000;

/** For messages: this call has no resource. */
const VERSION_CALL: ApiCall = {
  verb: 'GET',
  type: { group: '', version: 'v1', plural: 'version', kind: 'Version', namespaced: false },
  namespace: '',
  name: '',
};

const INDEX_CALL: ApiCall = {
  verb: 'GET',
  type: { group: '', version: 'v3', plural: 'openapi', kind: 'OpenAPI', namespaced: false },
  namespace: '',
  name: '',
};

/**
 * Reads the OpenAPI v3 document of the kind's group and version. In every cluster the role system:discovery allows each
 * authenticated user to read it. To read the CRD itself needs a permission that no identity of evenkeel has.
 */
export class OpenApiSchemas implements PublishedSchemas, SchemaDigests {
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async schemaOf(type: ResourceType): Promise<JsonObject | undefined> {
    const call: ApiCall = { verb: 'GET', type, namespace: '', name: 'openapi/v3' };
    const document = await this.#read(call, `/openapi/v3/apis/${type.group}/${type.version}`);
    if (document === undefined) return undefined;
    return schemasIn(document).find((schema) => isOf(schema, type));
  }

  async serverVersion(): Promise<string> {
    const document = await this.#read(VERSION_CALL, '/version');
    if (typeof document?.gitVersion === 'string') return document.gitVersion;
    throw malformed(VERSION_CALL, 200, 'the answer is no version');
  }

  /** By the index of the documents: the address of each one has its digest, so that clients keep it until it changes. */
  async digests({ signal }: CallOptions = {}): Promise<ReadonlyMap<string, string>> {
    const index = await this.#read(INDEX_CALL, '/openapi/v3', signal);
    const paths = isRecord(index?.paths) ? index.paths : {};
    const found = new Map<string, string>();
    for (const [path, entry] of Object.entries(paths)) {
      const address = isRecord(entry) ? entry.serverRelativeURL : undefined;
      const digest = typeof address === 'string' ? new URLSearchParams(address.split('?')[1]).get('hash') : null;
      if (digest !== null) found.set(path.replace(/^apis?\//, ''), digest);
    }
    return found;
  }

  /** Undefined when there is no such document. */
  async #read(
    call: ApiCall,
    path: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const deadline = new CallDeadline(this.#clock, TIMEOUT_MS, signal);
    try {
      const headers = { accept: 'application/json' };
      const response = await this.#transport.send({ method: 'GET', path, headers, signal: deadline.signal });
      const { text } = await readBody(response.chunks(), MAX_OBJECT_BYTES);
      const { status } = response;
      if (status === 404) return undefined;
      if (status < 200 || status >= 300) {
        throw answerError(call, { status, headers: response.headers, text }, this.#clock.now());
      }
      const body = parseJson(text);
      if (!isRecord(body)) throw malformed(call, status, 'the answer is no document');
      return body;
    } catch (error) {
      throw error instanceof ApiError ? error : callFailure(call, error, deadline);
    } finally {
      deadline.end();
    }
  }
}

function schemasIn({ components }: Readonly<Record<string, unknown>>): JsonObject[] {
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  return Object.values(schemas).filter((schema): schema is JsonObject => isRecord(schema));
}

function isOf(schema: JsonObject, { group, version, kind }: ResourceType): boolean {
  const named = schema['x-kubernetes-group-version-kind'];
  if (!Array.isArray(named)) return false;
  return named.some((one) => isRecord(one) && one.group === group && one.version === version && one.kind === kind);
}
