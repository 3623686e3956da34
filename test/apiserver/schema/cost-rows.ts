import type { JsonObject } from '../../../lib/apiserver/json.ts';

const name: JsonObject = { type: 'string', maxLength: 40 };
const item: JsonObject = { type: 'object', required: ['name'], properties: { name, note: { type: 'string' } } };

/** Fields with and without bounds, as `self` of the rules below. */
const fields: JsonObject = {
  name,
  text: { type: 'string' },
  mode: { type: 'string', enum: ['one', 'three'] },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  on: { type: 'boolean' },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  blob: { type: 'string', format: 'byte', maxLength: 100 },
  port: { 'x-kubernetes-int-or-string': true },
  short: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
  names: { type: 'array', maxItems: 60, items: name },
  texts: { type: 'array', items: { type: 'string' } },
  few: { type: 'array', maxItems: 4, items: item },
  items: { type: 'array', items: item },
  labels: { type: 'object', maxProperties: 30, additionalProperties: name },
  notes: { type: 'object', additionalProperties: { type: 'string' } },
  'x.y': name,
};

/** A rule on an object with all of the fields. */
export function onFields(rule: string, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: fields, 'x-kubernetes-validations': [{ rule, ...more }] };
}

/** As `onFields`, in a list that may have `maxItems` of it, or any number. */
export function inList(rule: string, maxItems?: number): JsonObject {
  return { type: 'array', ...(maxItems !== undefined && { maxItems }), items: onFields(rule) };
}

/** Expressions that cover the cost of each function, operator and macro. */
const expressions: readonly string[] = [
  "self.name == 'a'",
  'self.text == self.text',
  "self.text.matches('^[a-z]+$')",
  "self.name.matches('^[a-z]+$')",
  'self.name.matches(self.text)',
  'self.text.contains(self.text)',
  "self.text.contains('abc')",
  'self.name.startsWith(self.text)',
  "self.text.endsWith('a')",
  "self.mode in ['one', 'two']",
  'self.mode == self.text',
  'self.name < self.text',
  'self.text < self.text',
  'self.count < 5 && self.ratio > 1.5 || self.on',
  'self.count + 1 == 3 && -self.count != 1',
  "self.when > timestamp('2020-01-01T00:00:00Z') && self.wait < duration('1h')",
  "self.when.getFullYear() > 3 && string(self.when) == 'a'",
  "self.blob == b'abc' && string(self.blob) == 'x'",
  "bytes(self.name) == b'x'",
  'type(self.port) == string ? self.port.size() > 3 : self.port > 3',
  "self.port == 'http'",
  'self.short == self.port',
  "has(self.name) && self.?name.orValue('') != 'x'",
  "self.?name.optMap(n, n + 'x').orValue('y') == 'z'",
  'self.?few.optFlatMap(n, n[0].?name).hasValue() || optional.none().hasValue()',
  "self.names.all(n, n.matches('a'))",
  "self.texts.all(n, n.matches('a'))",
  "self.texts.exists(n, n == 'a')",
  "self.names.exists_one(n, n == 'a')",
  'self.names.all(n, self.names.exists_one(m, n == m))',
  'self.texts.all(n, self.texts.exists(m, n == m))',
  'self.items.all(n, self.items.exists_one(m, n.name == m.name))',
  'self.few.all(n, self.few.all(m, n == m || n.name != m.name))',
  "self.few.filter(n, n.name != 'x').map(n, n.name).all(n, n.contains('abcdefghijklmnopqrstuvw'))",
  "self.texts.filter(n, n != 'x').size() == 1",
  "self.items.map(n, n.note != '', n.name)[0] == 'a'",
  'self.few.map(n, n.note)[0].contains(self.few[0].note)',
  "self.labels.all(k, k.matches('^a') && self.labels[k].matches('^b'))",
  "self.notes.exists(k, self.notes[k] == 'a')",
  "'a' in self.labels && self.notes['a'] == 'b'",
  "'a' in self.texts",
  'self.name in self.texts',
  'self.items[0].note == self.texts[0]',
  "self.texts.isSorted() && self.names.indexOf('a') == 1 && self.texts[0].indexOf('b') == 2",
  "self.names.min() == 'a' && self.texts.max() == 'b'",
  'self.texts.map(n, size(n)).sum() < 100',
  'self.text.lowerAscii() == self.name.upperAscii() && self.text.trim() == self.text.substring(1)',
  "self.text.replace('a', self.name) == self.text.replace('', 'ab')",
  "self.name.replace('ab', 'c').replace('d', '') == self.text.replace('x', 'yz', 2)",
  "self.text.split(',').all(p, p.size() > 2)",
  "self.text.split(',', 3).all(p, p.matches('abc'))",
  "self.names.join(',') == self.text && self.texts.join() != ''",
  "self.text.find('[0-9]+') == '1' && self.text.findAll('[a-z]').size() == 3",
  "isURL(self.text) && url(self.text).getHost() == 'a' && url(self.text) == url(self.name)",
  "quantity(self.name).isLessThan(quantity('1Gi')) && isQuantity(self.text)",
  "quantity(self.name) == quantity('1') && quantity(self.name).compareTo(quantity('2')) < 0",
  "quantity(self.name) != quantity('1')",
  'isIP(self.text) && isCIDR(self.name)',
  "sets.contains(self.names, ['a', 'b']) && sets.intersects(self.texts, self.names)",
  'sets.equivalent(self.names, self.names)',
  "self.names + ['a'] == ['b'] && self.text + 'x' == self.name + 'y'",
  "(self.names + self.texts).exists(n, n == 'a')",
  "(self.on ? self.names : self.texts).all(n, n.matches('ab'))",
  "self.text.format([self.name]) == 'a'",
  "{'a': self.text, 'b': 'c'}['a'] == 'x' && {'a': 1}.a == 1",
  "[self.text, self.name].all(n, n.matches('abcdef'))",
  "dyn(self.text) == self.name && dyn(self.names).exists(n, n == 'a')",
  "self.x__dot__y.matches('abc')",
  'self.few == oldSelf.few && self.text == oldSelf.text',
  'self.names.slice(1, 3).size() == 2 && self.texts.slice(0, 2)[0] == self.text',
  'self.names.sort() == self.names && self.names.distinct().size() == 2',
  'self.texts.sort() == self.texts',
  'self.texts.distinct() == self.texts',
  "self.names.first().orValue('') == self.texts.last().value()",
];

/** Rules, with the schema of the field that has each. */
export const costRows: readonly (readonly [what: string, schema: JsonObject])[] = [
  ...expressions.map((rule) => [rule, onFields(rule)] as const),
  ...['self.count > 1', "self.name.matches('^[a-z]+$')", "self.names.all(n, n == 'a')"].flatMap((rule) => [
    [`${rule} in a list of 1000`, inList(rule, 1000)] as const,
    [`${rule} in a list without a bound`, inList(rule)] as const,
  ]),
  ['a rule below two lists', { type: 'array', maxItems: 50, items: inList("self.name.matches('ab')", 2000) }],
  [
    'a rule in a map',
    { type: 'object', additionalProperties: { type: 'string', 'x-kubernetes-validations': [{ rule: "self == ''" }] } },
  ],
  [
    'a rule in a bounded map',
    {
      type: 'object',
      maxProperties: 9,
      additionalProperties: {
        type: 'string',
        maxLength: 9,
        'x-kubernetes-validations': [{ rule: "self.matches('a')" }],
      },
    },
  ],
  [
    'a list that is itself compared',
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [{ rule: "self.all(x, x.matches('a'))" }] },
  ],
  [
    'a list of required objects',
    {
      type: 'array',
      items: {
        type: 'object',
        required: ['first', 'second'],
        properties: { first: name, second: { type: 'integer' } },
      },
      'x-kubernetes-validations': [{ rule: 'self.all(x, x.second > 1)' }],
    },
  ],
  ['a message that costs', onFields('self.on', { messageExpression: "self.text.replace('a', 'bc') + self.text" })],
  ['a message that costs too much', onFields('self.on', { messageExpression: 'self.texts.join(self.text)' })],
  [
    'a rule on an embedded object',
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object', properties: { a: name } } },
      'x-kubernetes-validations': [{ rule: "self.metadata.name.matches('^a') && self.kind == self.spec.a" }],
    },
  ],
];

/** Rules that the real server accepts alone, but not together. */
export const togetherTooMuch: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [
      `f${index}`,
      {
        type: 'string',
        maxLength: 400_000,
        'x-kubernetes-validations': [
          { rule: "self.matches('^[a-z]{1,200}(b|c|d|e|f|g|h)$')" },
          { rule: `self.contains('${'ab'.repeat(200 + 5 * index)}')` },
        ],
      },
    ]),
  ),
};
