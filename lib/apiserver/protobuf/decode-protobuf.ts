import { ApiError, badRequest } from '../api-error.ts';
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import { KIND_SHAPES } from './kind-shapes.ts';
import { decodeMessage, type MessageShape } from './message-shape.ts';
import { WireError } from './wire.ts';

export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/** `k8s` and a zero byte (k8s.io/apimachinery/pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from('k8s\0');

const UNKNOWN: MessageShape = {
  name: 'Unknown',
  fields: {
    1: {
      name: 'type',
      type: {
        name: 'TypeMeta',
        fields: { 1: { name: 'apiVersion', type: 'string' }, 2: { name: 'kind', type: 'string' } },
      },
    },
    2: { name: 'raw', type: 'bytes' },
    3: { name: 'contentEncoding', type: 'string' },
    4: { name: 'contentType', type: 'string' },
  },
};

/**
 * Decodes a protobuf body into the form of JSON; undefined for a kind that is accepted only in JSON and YAML.
 * @throws ApiError 400 for an invalid body, 415 for a field that is accepted only in JSON and YAML.
 */
export function decodeProtobuf(body: Uint8Array): JsonObject | undefined {
  if (!MAGIC.equals(body.subarray(0, MAGIC.length))) {
    throw badRequest("couldn't decode the body as protobuf: it does not begin with the prefix of Kubernetes");
  }
  const envelope = decoded(() => decodeMessage(body.subarray(MAGIC.length), UNKNOWN), badEnvelope);
  const type = objectAt(envelope, 'type');
  const apiVersion = stringAt(type, 'apiVersion');
  const kind = stringAt(type, 'kind');
  const name = `${apiVersion}/${kind}`;
  const shape = Object.hasOwn(KIND_SHAPES, name) ? KIND_SHAPES[name] : undefined;
  if (shape === undefined) return undefined;
  const raw = Buffer.from(stringAt(envelope, 'raw'), 'base64');
  const object = decoded(
    () => decodeMessage(raw, shape),
    (error) => onlyAsText(error, kind),
  );
  return { apiVersion, kind, ...object };
}

function badEnvelope(error: WireError): ApiError {
  return badRequest(`couldn't decode the body as protobuf: ${error.message}`);
}

function onlyAsText(error: WireError, kind: string): ApiError {
  const message = `${error.message}; create the ${kind} with kubectl create ... --dry-run=client -o yaml | kubectl apply -f -`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

function decoded(decode: () => JsonObject, refusal: (error: WireError) => ApiError): JsonObject {
  try {
    return decode();
  } catch (error) {
    throw error instanceof WireError ? refusal(error) : error;
  }
}
