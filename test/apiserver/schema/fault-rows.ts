import type { JsonObject } from '../../../lib/apiserver/json.ts';

/** A schema with one field. */
export function withField(field: JsonObject): JsonObject {
  return { type: 'object', properties: { f: field } };
}

const item: JsonObject = { type: 'object', required: ['k'], properties: { k: { type: 'string' } } };

/** Schemas that the server refuses, with the causes. Their paths begin below `openAPIV3Schema`. */
export const faultRows: readonly [what: string, schema: JsonObject, lines: readonly string[]][] = [
  ['no type at the root', {}, ['type: Required value: must not be empty at the root']],
  ['another type at the root', { type: 'string' }, ['type: Invalid value: "string": must be object at the root']],
  [
    'a field without a type',
    withField({}),
    ['properties[f].type: Required value: must not be empty for specified object fields'],
  ],
  [
    'items without a type',
    withField({ type: 'array', items: {} }),
    ['properties[f].items.type: Required value: must not be empty for specified array items'],
  ],
  ['an array without items', withField({ type: 'array' }), ['properties[f].items: Required value: must be specified']],
  [
    'a type that is none',
    withField({ type: 'text' }),
    [
      'properties[f].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    'unique items',
    withField({ type: 'array', uniqueItems: true, items: { type: 'string' } }),
    [
      'properties[f].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ],
  ['a reference', withField({ type: 'object', $ref: '#/x' }), ['properties[f].$ref: Forbidden: $ref is not supported']],
  [
    'properties beside a map',
    withField({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    ['properties[f].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
  ],
  [
    'a map at the root',
    { type: 'object', additionalProperties: { type: 'string' } },
    ['additionalProperties: Forbidden: must not be used at the root'],
  ],
  [
    'a bad pattern',
    withField({ type: 'string', pattern: '(?=a)' }),
    [
      'properties[f].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ],
  [
    'a type below a junctor',
    withField({ type: 'string', anyOf: [{ type: 'string' }] }),
    ['properties[f].anyOf[0].type: Forbidden: must be empty to be structural'],
  ],
  [
    'a default below a junctor',
    withField({ type: 'string', allOf: [{ default: 'a' }] }),
    ['properties[f].allOf[0].default: Forbidden: must be undefined to be structural'],
  ],
  [
    'a field only below a junctor',
    { type: 'object', properties: {}, oneOf: [{ properties: { a: { minimum: 1 } } }] },
    ['properties[a]: Required value: because it is defined in openAPIV3Schema.oneOf[0].properties[a]'],
  ],
  [
    'more metadata than names',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    [
      'properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    'a list map without keys',
    withField({ type: 'array', 'x-kubernetes-list-type': 'map', items: item }),
    ['properties[f].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
  ],
  [
    'a key that no item has',
    withField({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['z'], items: item }),
    ['properties[f].x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties'],
  ],
  [
    'a key that may be absent',
    withField({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' } } },
    }),
    [
      'properties[f].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    'a set of granular objects',
    withField({ type: 'array', 'x-kubernetes-list-type': 'set', items: item }),
    [
      'properties[f].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    'a list type on an object',
    withField({ type: 'object', 'x-kubernetes-list-type': 'set' }),
    ['properties[f].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
  ],
  [
    'a default of the wrong type',
    withField({ type: 'string', default: 1 }),
    ['properties[f].default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  [
    'a default with unknown fields',
    withField({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } }),
    ['properties[f].default: Invalid value: {"b":1}: must not have unknown fields'],
  ],
  [
    'a default that breaks a rule',
    withField({ type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 1' }] }),
    ['properties[f].default: Invalid value: 1: failed rule: self > 1'],
  ],
  [
    'a default in metadata',
    { type: 'object', properties: { kind: { type: 'string', default: 'X' } } },
    ['properties[kind].default: Forbidden: must not be set in top-level kind'],
  ],
  [
    'a keyword of the wrong shape',
    withField({ type: 'string', maxLength: '3' }),
    ['properties[f].maxLength: Invalid value: "3": must be a number'],
  ],
];
