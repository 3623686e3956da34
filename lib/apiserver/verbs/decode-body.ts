import { LineCounter, parseDocument } from 'yaml';
import { yamlBoundFault } from '../../adapters/system/yaml-bounds.ts';
import { cutToUtf8Bytes } from '../../core/text.ts';
import { repeatedYamlKey } from '../../core/yaml-keys.ts';
import { ApiError, badRequest, unsupportedMediaType } from '../api-error.ts';
import {
  define,
  isObject,
  type JsonObject,
  type JsonValue,
  mayHoldWide,
  narrowed,
  objectAt,
  parseJson,
  stringAt,
} from '../json.ts';
import { isTextTooDeep, MAX_JSON_DEPTH } from '../json-depth.ts';
import { metadataTypeFault } from '../metadata/validate-metadata.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import type { ResourceType, TypeVersion } from '../state/resource-type.ts';

/** The largest request body that the real server accepts. */
export const bodyLimitBytes = 3 * 1024 * 1024;

/** The answer to a larger body. */
export function bodyTooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bodyLimitBytes}`);
}

const yamlTypes = new Set(['application/yaml', 'application/apply-patch+yaml']);

/** The media type of the body without its parameters, in lower case; empty when the header is missing. */
export function contentType(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The body as JSON. YAML is accepted when the media type names it. @throws ApiError 400 */
export function parseBody(body: string | undefined, mediaType: string): JsonValue {
  const text = body ?? '';
  if (Buffer.byteLength(text) > bodyLimitBytes) throw bodyTooLarge();
  const isYaml = yamlTypes.has(mediaType);
  if (!isYaml || isJson(text)) {
    if (isTextTooDeep(text)) throw badRequest("couldn't decode the body as JSON: exceeded max depth");
    try {
      return parseJson(text);
    } catch (error) {
      throw badRequest(`couldn't decode the body as JSON: ${messageOf(error)}`);
    }
  }
  const fault = yamlBoundFault(text, MAX_JSON_DEPTH);
  if (fault !== undefined) {
    const why = fault === 'depth' ? 'exceeded max depth' : 'aliases stand for too much';
    throw badRequest(`error decoding patch: error converting YAML to JSON: ${why}`);
  }
  try {
    return mayHoldWide(text) ? narrow(parseYaml(text, true)) : parseYaml(text, false);
  } catch (error) {
    throw badRequest(`error decoding patch: error converting YAML to JSON: ${messageOf(error)}`);
  }
}

/** @throws Error that says where the text is not YAML, or which key occurs twice. */
function parseYaml(text: string, intAsBigInt: boolean): JsonValue {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { intAsBigInt, lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const repeated = repeatedYamlKey(document.contents);
  if (repeated === undefined) return document.toJS() as JsonValue;
  throw new Error(`line ${lineCounter.linePos(repeated.offset).line}: key "${repeated.key}" already set in map`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Converts integers of YAML to the form of integers in JSON, in place. */
function narrow(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return narrowed(value);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = narrow(item);
  else if (isObject(value)) for (const [name, member] of Object.entries(value)) define(value, name, narrow(member));
  return value;
}

/** The object in the body of a create or update. @throws ApiError when it is not an object of the endpoint's kind. */
export function decodeObject({ body = '', headers, type, version }: ResourceRequest): JsonObject {
  const mediaType = contentType(headers);
  if (mediaType !== '' && mediaType !== 'application/json' && mediaType !== 'application/yaml') {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  const unrecognized = (why: string): ApiError =>
    badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${summary(body)})`);
  if (body === '') throw unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input");
  const object = parseBody(body, mediaType);
  if (!isObject(object)) throw unrecognized("couldn't get version/kind; the body is not an object");
  if (type.custom && stringAt(object, 'kind') === '') throw unrecognized(`Object 'Kind' is missing in '${body}'`);
  completeType(object, type, version);
  const kind = stringAt(object, 'kind');
  const fault = metadataFault(object) ?? version.decodeFault?.(object);
  if (fault !== undefined) {
    throw badRequest(`${kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${fault}`);
  }
  return object;
}

/** Built-in kinds may leave out apiVersion and kind. If they are present, they must be those of the endpoint. */
function completeType(object: JsonObject, type: ResourceType, version: TypeVersion): void {
  const apiVersion = stringAt(object, 'apiVersion');
  if (apiVersion === '' && !type.custom) object.apiVersion = version.apiVersion;
  else if (apiVersion !== version.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${version.apiVersion})`,
    );
  }
  const kind = stringAt(object, 'kind');
  if (type.custom) return;
  if (kind === '') object.kind = type.kind;
  else if (kind !== type.kind) {
    throw badRequest(
      `${kind} in version "${version.name}" cannot be handled as a ${type.kind}: the endpoint takes objects of kind ${type.kind} only`,
    );
  }
}

/** The beginning of a body, as the real server shows it in errors. */
function summary(body: string): string {
  if (body === '') return '<empty>';
  return body.length > 30 ? `${cutToUtf8Bytes(body, 30)} ...` : body;
}

/** Refuses metadata with wrong JSON types. The real server finds them while it decodes. */
export function requireMetadataTypes(object: JsonObject): void {
  const fault = metadataFault(object);
  if (fault !== undefined) throw badRequest(fault);
}

/** The error about the JSON types of an object's metadata; undefined when there is none. */
export function metadataFault(object: JsonObject): string | undefined {
  const { metadata } = object;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    return `json: cannot unmarshal ${Array.isArray(metadata) ? 'array' : typeof metadata} into Go value of type v1.ObjectMeta`;
  }
  return metadataTypeFault(objectAt(object, 'metadata') ?? {});
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
