import type { JsonObject } from '../../../lib/apiserver/json.ts';

export const text: JsonObject = { type: 'string', maxLength: 64 };
export const integer: JsonObject = { type: 'integer' };
/** The fields that the rules below use. */
export const properties: JsonObject = {
  maxAge: text,
  min: integer,
  max: integer,
  ratio: { type: 'number' },
  mode: text,
  targets: { type: 'array', maxItems: 8, items: text },
  keys: { type: 'array', maxItems: 8, items: { type: 'object', properties: { name: text, min: integer } } },
  labels: { type: 'object', maxProperties: 8, additionalProperties: text },
  storage: text,
  url: text,
  port: { 'x-kubernetes-int-or-string': true },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  blob: { type: 'string', format: 'byte' },
  maybe: { type: 'string', maxLength: 64, nullable: true },
  'x.y-z/w': text,
  in: text,
  a__b: text,
  a: text,
  b: text,
};

const exactlyOne = '[has(self.a), has(self.b), has(self.mode)].filter(x, x).size() == 1';
const allOrNone = 'has(self.a) == has(self.b) && has(self.b) == has(self.mode)';
const unique = 'self.keys.all(x, self.keys.exists_one(y, x.name == y.name))';
const origin =
  "self.targets.all(t, isURL(t) && url(t).getScheme() == 'https' && url(t).getEscapedPath() == '' && url(t).getQuery().size() == 0)";
/** Rules, with a spec that satisfies each and one that does not. */
export const ruleRows: readonly [rule: string, holds: JsonObject, fails: JsonObject][] = [
  ["!has(self.maxAge) || duration(self.maxAge) >= duration('1m')", { maxAge: '90s' }, { maxAge: '59s' }],
  ["duration(self.maxAge) < duration('1h30m')", { maxAge: '1.4h' }, { maxAge: '2h' }],
  ['!has(self.min) || !has(self.max) || self.min <= self.max', { min: 2, max: 10 }, { min: 10, max: 2 }],
  ['self.min * 2 + 1 == 5 && self.min % 2 == 0 && self.min / 2 == 1', { min: 2 }, { min: 3 }],
  ['self.ratio > 0.5 && self.ratio < 2.0', { ratio: 1 }, { ratio: 2 }],
  [
    "self.mode != 'Annotate' || size(self.targets) > 0",
    { mode: 'Annotate', targets: ['x'] },
    { mode: 'Annotate', targets: [] },
  ],
  [exactlyOne, { a: '' }, { a: '', b: '' }],
  [allOrNone, { a: '', b: '', mode: '' }, { a: '', b: '' }],
  [unique, { keys: [{ name: 'a' }, { name: 'b' }] }, { keys: [{ name: 'a' }, { name: 'a' }] }],
  ['self.keys.all(k, !has(k.min) || k.min > 0)', { keys: [{ name: 'a' }, { min: 1 }] }, { keys: [{ min: 0 }] }],
  ['has(self.keys[0].min)', { keys: [{ min: 1 }] }, { keys: [{}] }],
  [
    "self.keys.map(k, k.name) == ['a', 'b']",
    { keys: [{ name: 'a' }, { name: 'b' }] },
    { keys: [{ name: 'b' }, { name: 'a' }] },
  ],
  ["self.keys.exists(k, k.name in ['a', 'b'])", { keys: [{ name: 'b' }] }, { keys: [{ name: 'c' }] }],
  [
    "'team' in self.labels && self.labels['team'].startsWith('t-')",
    { labels: { team: 't-1' } },
    { labels: { owner: 'x' } },
  ],
  [
    "self.labels.all(k, k.endsWith('.dev') && self.labels[k].contains('x'))",
    { labels: { 'a.dev': 'axb' } },
    { labels: { 'a.com': 'x' } },
  ],
  ["self.labels.?team.orValue('none') == 'none'", { labels: {} }, { labels: { team: 'x' } }],
  ['self.?min.orValue(7) == 7', {}, { min: 6 }],
  ["self.?a.optMap(v, v == 'x').orValue(false)", { a: 'x' }, {}],
  [
    'isQuantity(self.storage) && quantity(self.storage).isGreaterThan(quantity("1Gi"))',
    { storage: '1025Mi' },
    { storage: '1024Mi' },
  ],
  ['quantity(self.storage).compareTo(quantity("1500m")) == 0', { storage: '1.5' }, { storage: '1.501' }],
  ['quantity(self.storage).compareTo(quantity("1k").add(24)) == 0', { storage: '1Ki' }, { storage: '1k' }],
  [origin, { targets: ['https://a.example:8443'] }, { targets: ['https://a.example/path'] }],
  [
    "url(self.url).getHost() == 'h:1' && url(self.url).getHostname() == 'h' && url(self.url).getQuery()['q'] == ['1']",
    { url: 'http://h:1/p?q=1' },
    { url: 'http://x:1/p?q=1' },
  ],
  ["self.a.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')", { a: 'a-b' }, { a: 'a-' }],
  ["self.a.matches(r'^(?i)ab\\z')", { a: 'AB' }, { a: 'ABz' }],
  ["self.a.find('[0-9]+') == '42' && self.a.findAll('[a-z]') == ['x', 'y']", { a: 'x42y7' }, { a: 'x' }],
  ["self.a.lowerAscii() == 'äé' || self.a.lowerAscii() == 'ab'", { a: 'AB' }, { a: 'ÄÉ' }],
  ["self.a.trim().split(',').size() == 2 && self.a.replace(',', ';').contains(';')", { a: ' x,y ' }, { a: 'x' }],
  [
    "self.a.substring(1, 3) == 'bc' && self.a.indexOf('c') == 2 && self.a.charAt(0) == 'a'",
    { a: 'abcd' },
    { a: 'acbd' },
  ],
  [
    'self.targets.isSorted() && self.targets.max() == "c" && self.targets.indexOf("b") == 1',
    { targets: ['a', 'b', 'c'] },
    { targets: ['b', 'a'] },
  ],
  ["sets.contains(['a', 'b'], self.targets)", { targets: ['b'] }, { targets: ['c'] }],
  ['type(self.port) == int ? self.port < 1024 : self.port == "http"', { port: 80 }, { port: 8080 }],
  ['type(self.port) == int ? self.port < 1024 : self.port == "http"', { port: 'http' }, { port: 'smtp' }],
  [
    "self.when > timestamp('2026-01-01T00:00:00Z') && self.when.getFullYear() == 2026",
    { when: '2026-06-01T00:00:00Z' },
    { when: '2025-06-01T00:00:00Z' },
  ],
  ["self.wait <= duration('5m') && self.wait.getSeconds() >= 30", { wait: '90s' }, { wait: '10m' }],
  ["self.blob == b'hi'", { blob: 'aGk=' }, { blob: 'aG8=' }],
  [
    "duration(self.maxAge) > duration('0') && duration(self.maxAge).getMinutes() == 90",
    { maxAge: '1.5h' },
    { maxAge: '0' },
  ],
  [
    "self.targets.sort().slice(0, 1) == ['a'] && self.targets.first().orValue('') == 'b'",
    { targets: ['b', 'a'] },
    { targets: ['a'] },
  ],
  ["self.targets[1] == 'x' || self.min > 0", { targets: [], min: 1 }, { targets: ['x', 'y'], min: 0 }],
  ['!has(self.maybe) || self.maybe.size() > 1', { maybe: null }, { maybe: 'x' }],
  ["self.x__dot__y__dash__z__slash__w == '1'", { 'x.y-z/w': '1' }, { 'x.y-z/w': '2' }],
  ["self.__in__ == '1' && self.a__underscores__b == '2'", { in: '1', a__b: '2' }, { in: '1', a__b: '1' }],
  ['size(self.a) == 2 && self.a.size() == 2', { a: '😀é' }, { a: 'abc' }],
  ["'%s has %d'.format([self.a, self.min]) == 'x has 3'", { a: 'x', min: 3 }, { a: 'x', min: 4 }],
  ["int(self.a) + 1 == 6 && string(self.min) == '5' && double(self.min) > 4.5", { a: '5', min: 5 }, { a: '6', min: 5 }],
];

/** A spec under which each of the rules below fails. */
export const failingSpec: JsonObject = { min: 1, mode: 'soon', targets: [], port: 'http' };

/** Rules, and the cause that the real API server returns when they fail. */
export const ruleMessageRows: readonly [what: string, rule: JsonObject, line: string][] = [
  ['no message', { rule: ' self.min > 1 ' }, 'spec: Invalid value: failed rule: self.min > 1'],
  [
    'a messageExpression',
    { rule: 'self.min > 1', messageExpression: "'mode is ' + self.mode" },
    'spec: Invalid value: mode is soon',
  ],
  [
    'a messageExpression that fails',
    { rule: 'self.min > 1', message: 'fallback', messageExpression: "'a' + self.a" },
    'spec: Invalid value: fallback',
  ],
  ['a fieldPath', { rule: 'self.min > 1', message: 'm', fieldPath: '.min' }, 'spec.min: Invalid value: m'],
  [
    'a fieldPath in brackets',
    { rule: 'self.min > 1', message: 'm', fieldPath: ".labels['a.b']" },
    'spec.labels[a.b]: Invalid value: m',
  ],
  ['reason Forbidden', { rule: 'self.min > 1', message: 'm', reason: 'FieldValueForbidden' }, 'spec: Forbidden: m'],
  [
    'reason Required',
    { rule: 'self.min > 1', message: 'm', reason: 'FieldValueRequired', fieldPath: '.a' },
    'spec.a: Required value: m',
  ],
  ['reason Duplicate', { rule: 'self.min > 1', message: 'm', reason: 'FieldValueDuplicate' }, 'spec: Duplicate value'],
  [
    'an absent field',
    { rule: "self.a == 'x'", message: 'm' },
    'spec: Invalid value: "object": no such key: a evaluating rule: m',
  ],
  [
    'an index out of bounds',
    { rule: "self.targets[3] == 'x'" },
    `spec: Invalid value: "object": index out of bounds: 3 evaluating rule: self.targets[3] == 'x'`,
  ],
  [
    'a text that is no duration',
    { rule: "duration(self.mode) > duration('1s')", message: 'm' },
    `spec: Invalid value: "object": type conversion error from 'string' to 'google.protobuf.Duration' evaluating rule: m`,
  ],
  [
    'a dynamic value of the wrong type',
    { rule: 'self.port < 3', message: 'm' },
    `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: m`,
  ],
];
