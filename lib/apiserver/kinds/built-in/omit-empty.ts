import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { memberNode, type SchemaNode, UNTYPED } from '../../schema/node.ts';

/*
 * Removes what Go's `omitempty` leaves out of the built-in kinds: every null, and the empty value of a field that is
 * not a pointer. JSON does not show which fields are pointers, so they are listed here by name (k8s.io/api, types.go).
 */

const OMITTED_WHEN_FALSE = new Set([
  ...['hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty', 'readOnly', 'paused'],
  ...['publishNotReadyAddresses', 'unschedulable'],
]);

const OMITTED_WHEN_ZERO = new Set([
  ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'],
  ...['minReadySeconds', 'nodePort', 'hostPort', 'healthCheckNodePort'],
]);

/** Fields that are pointers to text, and fields that are always written. */
const KEPT_WHEN_EMPTY_TEXT = new Set([
  ...['storageClassName', 'volumeAttributesClassName', 'runtimeClassName', 'appProtocol', 'provisioner'],
  ...['holderIdentity', 'preferredHolder', 'strategy', 'service', 'containerName', 'fieldPath', 'resource', 'divisor'],
  ...['serviceName', 'key', 'path', 'mountPath', 'devicePath', 'topologyKey', 'kind', 'name', 'claimName', 'driver'],
]);

/** In ports and in references to other objects, an empty `name` is left out. Everywhere else it is always written. */
const NAME_IS_OPTIONAL = /^(ports|configMap|configMapRef|secretRef|configMapKeyRef|secretKeyRef|imagePullSecrets)$/;

/** Lists that are always written. An empty one is null, because the storage does not distinguish null from empty. */
const ALWAYS_WRITTEN_LISTS = new Set(['rules', 'verbs', 'containers', 'nodeSelectorTerms']);

/** Inside a value that merges as a whole, no fields are declared. */
const MAPS = new Set(['matchLabels', 'volumeAttributes']);

/** Removes from a struct what the real server leaves out, in place. Status and metadata have their own rules. */
export function omitEmpty(object: JsonObject, node: SchemaNode): void {
  for (const [name, value] of Object.entries(object)) {
    if (name !== 'metadata' && name !== 'status') omitMember(object, name, value, memberNode(node, name), '');
  }
}

function omitMember(
  struct: JsonObject,
  name: string,
  value: JsonValue,
  node: SchemaNode | undefined,
  parent: string,
): void {
  if (ALWAYS_WRITTEN_LISTS.has(name) && Array.isArray(value) && value.length === 0) struct[name] = null;
  else if (isOmitted(name, value, node, parent)) delete struct[name];
  else omitWithin(value, node ?? UNTYPED, name);
}

function omitWithin(value: JsonValue, node: SchemaNode, name: string): void {
  if (Array.isArray(value)) for (const item of value) omitWithin(item, node.items ?? UNTYPED, name);
  else if (isObject(value) && !isMap(name, node))
    for (const [member, part] of Object.entries(value)) omitMember(value, member, part, memberNode(node, member), name);
}

function isOmitted(name: string, value: JsonValue, node: SchemaNode | undefined, parent: string): boolean {
  if (value === null) return !ALWAYS_WRITTEN_LISTS.has(name);
  if (value === false) return OMITTED_WHEN_FALSE.has(name);
  if (value === 0) return OMITTED_WHEN_ZERO.has(name) && parent !== 'clientIP';
  if (value === '') return name === 'name' ? NAME_IS_OPTIONAL.test(parent) : !KEPT_WHEN_EMPTY_TEXT.has(name);
  if (Array.isArray(value)) return value.length === 0 && !ALWAYS_WRITTEN_LISTS.has(name);
  return isObject(value) && Object.keys(value).length === 0 && isMap(name, node);
}

/** The members of a map belong to the user and may have any value. */
function isMap(name: string, node: SchemaNode | undefined): boolean {
  return node?.values !== undefined || MAPS.has(name);
}
