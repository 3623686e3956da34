import type { JsonObject, JsonValue } from '../../../lib/apiserver/json.ts';

/** A list map whose items need two fields. */
export const keyed: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    minProperties: 2,
    properties: { name: { type: 'string', pattern: '^[a-z]+$' }, size: { type: 'integer' } },
  },
};
const oneOf: JsonObject = {
  type: 'object',
  properties: { x: { type: 'string' }, y: { type: 'string' } },
  oneOf: [{ required: ['x'] }, { required: ['y'] }],
};

/** Values of `spec.field` under a schema, and the real API server's causes, one line for each. */
export const valueRows: readonly [what: string, schema: JsonObject, value: JsonValue, lines: readonly string[]][] = [
  [
    'a wrong type',
    { type: 'integer' },
    'x',
    ['spec.field: Invalid value: "string": spec.field in body must be of type integer: "string"'],
  ],
  [
    'a fraction for an integer',
    { type: 'integer' },
    1.5,
    [
      'spec.field: Invalid value: "number": spec.field in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.field',
    ],
  ],
  ['an integer for a number', { type: 'number' }, 3, []],
  [
    'a null',
    { type: 'string' },
    null,
    ['spec.field: Invalid value: "null": spec.field in body must be of type string: "null"'],
  ],
  ['a null where it may be', { type: 'string', nullable: true }, null, []],
  [
    'an array for an object',
    { type: 'object' },
    [],
    ['spec.field: Invalid value: "array": spec.field in body must be of type object: "array"'],
  ],
  [
    'a boolean for int-or-string',
    { 'x-kubernetes-int-or-string': true },
    true,
    ['spec.field: Invalid value: "boolean": spec.field in body must be of type integer,string: "boolean"'],
  ],
  ['int-or-string as a string', { 'x-kubernetes-int-or-string': true }, '50%', []],
  [
    'a value out of the enum',
    { type: 'string', enum: ['A', 'B'] },
    'C',
    ['spec.field: Unsupported value: "C": supported values: "A", "B"'],
  ],
  [
    'a number out of the enum',
    { type: 'integer', enum: [1, 2] },
    3,
    ['spec.field: Unsupported value: 3: supported values: "1", "2"'],
  ],
  [
    'a pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    'A1',
    [`spec.field: Invalid value: "A1": spec.field in body should match '^[a-z]+$'`],
  ],
  [
    'a pattern and a trailing line break',
    { type: 'string', pattern: '^[a-z]+$' },
    'a\n',
    [`spec.field: Invalid value: "a\\n": spec.field in body should match '^[a-z]+$'`],
  ],
  ['a long string', { type: 'string', maxLength: 2 }, 'abc', ['spec.field: Too long: may not be more than 2 bytes']],
  ['a string of long characters', { type: 'string', maxLength: 2 }, '😀é', []],
  [
    'a short string',
    { type: 'string', minLength: 1 },
    '',
    ['spec.field: Invalid value: "": spec.field in body should be at least 1 chars long'],
  ],
  [
    'a small number',
    { type: 'integer', minimum: 1 },
    0,
    ['spec.field: Invalid value: 0: spec.field in body should be greater than or equal to 1'],
  ],
  [
    'a number at an exclusive bound',
    { type: 'integer', maximum: 3, exclusiveMaximum: true },
    3,
    ['spec.field: Invalid value: 3: spec.field in body should be less than 3'],
  ],
  [
    'no multiple',
    { type: 'integer', multipleOf: 5 },
    7,
    ['spec.field: Invalid value: 7: spec.field in body should be a multiple of 5'],
  ],
  [
    'more than an int32',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.field'],
  ],
  [
    'no date-time',
    { type: 'string', format: 'date-time' },
    '2026-02-30T00:00:00Z',
    [
      'spec.field: Invalid value: "2026-02-30T00:00:00Z": spec.field in body must be of type date-time: "2026-02-30T00:00:00Z"',
    ],
  ],
  ['a date-time', { type: 'string', format: 'date-time' }, '2026-02-28T23:59:59.123+01:00', []],
  [
    'no base64',
    { type: 'string', format: 'byte' },
    'a',
    ['spec.field: Invalid value: "a": spec.field in body must be of type byte: "a"'],
  ],
  ['a format nobody knows', { type: 'string', format: 'colour' }, 'red', []],
  [
    'few items',
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    [],
    ['spec.field: Invalid value: 0: spec.field in body should have at least 1 items'],
  ],
  [
    'many items',
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['a', 'b'],
    ['spec.field: Too many: 2: must have at most 1 item'],
  ],
  [
    'a wrong item',
    { type: 'array', items: { type: 'string' } },
    ['a', 1],
    ['spec.field[1]: Invalid value: "integer": spec.field[1] in body must be of type string: "integer"'],
  ],
  [
    'a missing field',
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
    {},
    ['spec.field.a: Required value'],
  ],
  [
    'few properties',
    { type: 'object', minProperties: 1, properties: { a: { type: 'string' } } },
    {},
    ['spec.field: Invalid value: 0: spec.field in body should have at least 1 properties'],
  ],
  [
    'many properties',
    { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    { a: '', b: '' },
    ['spec.field: Too many: 2: must have at most 1 item'],
  ],
  [
    'a wrong member of a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 1 },
    ['spec.field.a: Invalid value: "integer": spec.field.a in body must be of type string: "integer"'],
  ],
  [
    'none of the alternatives',
    oneOf,
    {},
    [
      '<nil>: Invalid value: "": "spec.field" must validate one and only one schema (oneOf). Found none valid',
      'spec.field.x: Required value',
    ],
  ],
  [
    'two of the alternatives',
    oneOf,
    { x: '1', y: '2' },
    [
      '<nil>: Invalid value: "": "spec.field" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
  ['one of the alternatives', oneOf, { y: '2' }, []],
  [
    'none of any',
    { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      '<nil>: Invalid value: "": "spec.field" must validate at least one schema (anyOf)',
      'spec.field: Invalid value: 3: spec.field in body should be greater than or equal to 5',
    ],
  ],
  [
    'not all',
    { type: 'integer', allOf: [{ minimum: 5 }] },
    3,
    [
      'spec.field: Invalid value: 3: spec.field in body should be greater than or equal to 5',
      '<nil>: Invalid value: "": "spec.field" must validate all the schemas (allOf). None validated',
    ],
  ],
  [
    'what must not be',
    { type: 'string', not: { enum: ['x'] } },
    'x',
    ['<nil>: Invalid value: "": "spec.field" must not validate the schema (not)'],
  ],
  [
    'a repeated element of a set',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ['a', 'b', 'a', 'a'],
    ['spec.field[2]: Duplicate value: "a"'],
  ],
  [
    'repeated keys',
    keyed,
    [
      { name: 'a', size: 1 },
      { name: 'a', size: 2 },
    ],
    ['spec.field[1]: Duplicate value: {"name":"a"}'],
  ],
];
