import { isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** The names of those fields of built-in kinds that are integers of 64 bits. All other integers have 32. */
const WIDE_FIELDS = new Set([
  'activeDeadlineSeconds',
  'deletionGracePeriodSeconds',
  'expirationSeconds',
  'fsGroup',
  'generation',
  'observedGeneration',
  'runAsGroup',
  'runAsUser',
  'supplementalGroups',
  'terminationGracePeriodSeconds',
  'tolerationSeconds',
]);
/** The members of these fields are quantities, which may be numbers of any size. */
const QUANTITIES = new Set(['allocatable', 'allocatedResources', 'capacity', 'limits', 'overhead', 'requests']);
const QUANTITY = new Set(['divisor', 'sizeLimit']);

/**
 * The error for an integer beyond 2^53 in a built-in object, with the text of Go's decoder; undefined when there is
 * none. The real server cannot decode a number that is larger than its field.
 */
export function wideNumberFault(kind: string, object: JsonObject): string | undefined {
  return faultIn(kind, object, '', '');
}

function faultIn(kind: string, value: JsonValue, path: string, field: string): string | undefined {
  if (Array.isArray(value)) return first(value, (item) => faultIn(kind, item, path, field));
  if (isObject(value)) {
    if (QUANTITIES.has(field)) return undefined;
    return first(Object.entries(value), ([name, member]) => faultIn(kind, member, `${path}.${name}`, name));
  }
  if (typeof value === 'bigint' ? WIDE_FIELDS.has(field) : !isWide(value)) return undefined;
  if (QUANTITY.has(field)) return undefined;
  const type = WIDE_FIELDS.has(field) ? 'int64' : 'int32';
  return `json: cannot unmarshal number ${value} into Go struct field ${kind}${path} of type ${type}`;
}

function isWide(value: JsonValue): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function first<Item>(items: readonly Item[], fault: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
