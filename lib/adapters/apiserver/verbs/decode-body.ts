import { parse } from 'yaml';
import { ApiError, badRequest, unsupportedMediaType } from '../api-error.ts';
import { isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../json.ts';
import { metadataTypeFault } from '../metadata/validate-metadata.ts';
import type { ResourceRequest } from './resource-request.ts';

/** The real server's limit of a request body. */
const bodyLimitBytes = 3 * 1024 * 1024;

const yamlTypes = new Set(['application/yaml', 'application/apply-patch+yaml']);

/** The media type of the body without its parameters, in lower case; empty when the header is missing. */
export function contentType(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The body as JSON. YAML is taken where its media type says so. Throws the ApiError of a bad request. */
export function parseBody(body: string | undefined, mediaType: string): JsonValue {
  const text = body ?? '';
  if (text.length > bodyLimitBytes) {
    const message = `Request entity is too large: limit is ${bodyLimitBytes}`;
    throw new ApiError(413, 'RequestEntityTooLarge', message);
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!yamlTypes.has(mediaType)) throw badRequest(`couldn't decode the body as JSON: ${messageOf(error)}`);
  }
  try {
    return parse(text) as JsonValue;
  } catch (error) {
    throw badRequest(`error decoding patch: error converting YAML to JSON: ${messageOf(error)}`);
  }
}

/** The object in the body of a create or update. Throws an ApiError when it is no object of the endpoint's kind. */
export function decodeObject({ body, headers, type, version }: ResourceRequest): JsonObject {
  const mediaType = contentType(headers);
  if (mediaType !== '' && mediaType !== 'application/json' && mediaType !== 'application/yaml') {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  const object = parseBody(body, mediaType);
  if (!isObject(object)) throw badRequest('the body of the request is not an object');
  const kind = stringAt(object, 'kind');
  const apiVersion = stringAt(object, 'apiVersion');
  if (type.custom) {
    if (kind === '') throw badRequest(`Object 'Kind' is missing in '${body ?? ''}'`);
    if (apiVersion !== version.apiVersion) throw apiVersionMismatch(apiVersion, version.apiVersion);
  } else {
    if (apiVersion === '') object.apiVersion = version.apiVersion;
    else if (apiVersion !== version.apiVersion) throw apiVersionMismatch(apiVersion, version.apiVersion);
    if (kind === '') object.kind = type.kind;
    else if (kind !== type.kind) {
      throw badRequest(
        `${kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${type.kind}: the endpoint takes ${type.kind} objects only`,
      );
    }
  }
  requireMetadataTypes(object);
  return object;
}

/** Refuses metadata whose JSON types are wrong, which the real server does not get past decoding. */
export function requireMetadataTypes(object: JsonObject): void {
  const fault = metadataFault(object);
  if (fault !== undefined) throw badRequest(fault);
}

/** What is wrong with the JSON types of an object's metadata, if anything. */
export function metadataFault(object: JsonObject): string | undefined {
  const { metadata } = object;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    return 'json: cannot unmarshal into Go struct field .metadata of type v1.ObjectMeta';
  }
  return metadataTypeFault(objectAt(object, 'metadata') ?? {});
}

function apiVersionMismatch(given: string, expected: string): ApiError {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
