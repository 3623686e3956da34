import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../lib/adapters/apiserver/json.ts';
import { issueText } from '../../../../lib/adapters/apiserver/schema/issue.ts';
import { compileSchema, SchemaError } from '../../../../lib/adapters/apiserver/schema/schema.ts';

const text: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer' };
const properties: JsonObject = {
  maxAge: text,
  min: integer,
  max: integer,
  ratio: { type: 'number' },
  mode: text,
  targets: { type: 'array', items: text },
  keys: { type: 'array', items: { type: 'object', properties: { name: text, min: integer } } },
  labels: { type: 'object', additionalProperties: text },
  storage: text,
  url: text,
  port: { 'x-kubernetes-int-or-string': true },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  blob: { type: 'string', format: 'byte' },
  maybe: { type: 'string', nullable: true },
  'x.y-z/w': text,
  in: text,
  a__b: text,
  a: text,
  b: text,
};

/** What the server says of a spec under one rule, with the fields above. */
function judged(rule: string | JsonObject, spec: JsonObject, old?: JsonObject): string[] {
  const rules = [typeof rule === 'string' ? { rule, message: 'no' } : rule];
  const schema: JsonObject = { type: 'object', properties, 'x-kubernetes-validations': rules };
  const compiled = compileSchema({ type: 'object', properties: { spec: schema } }, () => 0);
  return compiled.validate({ spec }, old === undefined ? undefined : { spec: old }).map(issueText);
}

function refusal(rule: string | JsonObject, field: JsonObject = { type: 'object', properties }): string[] {
  const rules = [typeof rule === 'string' ? { rule } : rule];
  try {
    compileSchema({ type: 'object', properties: { spec: { ...field, 'x-kubernetes-validations': rules } } }, () => 0);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.faults.map(issueText);
  }
}

describe('what rules can say', () => {
  const exactlyOne = '[has(self.a), has(self.b), has(self.mode)].filter(x, x).size() == 1';
  const allOrNone = 'has(self.a) == has(self.b) && has(self.b) == has(self.mode)';
  const unique = 'self.keys.all(x, self.keys.exists_one(y, x.name == y.name))';
  const origin =
    "self.targets.all(t, isURL(t) && url(t).getScheme() == 'https' && url(t).getEscapedPath() == '' && url(t).getQuery().size() == 0)";
  const rows: [rule: string, holds: JsonObject, fails: JsonObject][] = [
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
    ["self.?a.optMap(v, v + '!').orValue('none') == 'x!'", { a: 'x' }, {}],
    [
      'isQuantity(self.storage) && quantity(self.storage).isGreaterThan(quantity("1Gi"))',
      { storage: '1025Mi' },
      { storage: '1024Mi' },
    ],
    ['quantity(self.storage).compareTo(quantity("1500m")) == 0', { storage: '1.5' }, { storage: '1.501' }],
    ['quantity(self.storage) == quantity("1k").add(quantity("24"))', { storage: '1Ki' }, { storage: '1k' }],
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
    ['!has(self.maybe) || self.maybe == null || self.maybe.size() > 1', { maybe: null }, { maybe: 'x' }],
    ["self.x__dot__y__dash__z__slash__w == '1'", { 'x.y-z/w': '1' }, { 'x.y-z/w': '2' }],
    ["self.__in__ == '1' && self.a__underscores__b == '2'", { in: '1', a__b: '2' }, { in: '1', a__b: '1' }],
    ['size(self.a) == 2 && self.a.size() == 2', { a: '😀é' }, { a: 'abc' }],
    ["'%s has %d'.format([self.a, self.min]) == 'x has 3'", { a: 'x', min: 3 }, { a: 'x', min: 4 }],
    [
      "int(self.a) + 1 == 6 && string(self.min) == '5' && double(self.min) > 4.5",
      { a: '5', min: 5 },
      { a: '6', min: 5 },
    ],
  ];
  it.each(rows)('R-6.2 %s', (rule, holds, fails) => {
    expect(judged(rule, holds)).toEqual([]);
    expect(judged(rule, fails)).toEqual(['spec: Invalid value: no']);
  });

  it('R-6.2 a rule at the root sees the name of the object', () => {
    const rules = [{ rule: "self.metadata.name == 'only' && self.kind == 'K'", message: 'there is one' }];
    const compiled = compileSchema({ type: 'object', 'x-kubernetes-validations': rules }, () => 0);
    expect(compiled.validate({ apiVersion: 'v1', kind: 'K', metadata: { name: 'only', labels: { a: 'b' } } })).toEqual(
      [],
    );
    expect(compiled.validate({ apiVersion: 'v1', kind: 'K', metadata: { name: 'x' } }).map(issueText)).toEqual([
      '<nil>: Invalid value: there is one',
    ]);
  });
});

describe('the messages of rules', () => {
  it('R-6.4 the value of a scalar is told, that of an object or list is not', () => {
    const rules = [{ rule: "duration(self) >= duration('1m')", message: ' must be at least 1m ' }];
    const compiled = compileSchema(
      {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { maxAge: { type: 'string', 'x-kubernetes-validations': rules } } },
        },
      },
      () => 0,
    );
    expect(compiled.validate({ spec: { maxAge: '30s' } })).toEqual([
      { path: 'spec.maxAge', reason: 'FieldValueInvalid', message: 'Invalid value: "30s": must be at least 1m' },
    ]);
  });

  const rows: [what: string, rule: JsonObject, line: string][] = [
    ['no message', { rule: ' self.min > 1 ' }, 'spec: Invalid value: failed rule: self.min > 1'],
    [
      'a messageExpression',
      { rule: 'self.min > 1', messageExpression: "'min is ' + string(self.min)" },
      'spec: Invalid value: min is 1',
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
    [
      'reason Duplicate',
      { rule: 'self.min > 1', message: 'm', reason: 'FieldValueDuplicate' },
      'spec: Duplicate value',
    ],
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
  it.each(rows)('R-6.4 %s', (_what, rule, line) => {
    expect(judged(rule, { min: 1, mode: 'soon', targets: [], port: 'http' })).toEqual([line]);
  });

  it('R-6.4 members of maps are named in brackets', () => {
    const values: JsonObject = { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] };
    const compiled = compileSchema(
      {
        type: 'object',
        properties: { m: { type: 'object', additionalProperties: values }, l: { type: 'array', items: values } },
      },
      () => 0,
    );
    expect(compiled.validate({ m: { 'a.b': 'x' }, l: ['y', 'x'] }).map(issueText)).toEqual([
      `m[a.b]: Invalid value: "x": failed rule: self != 'x'`,
      `l[1]: Invalid value: "x": failed rule: self != 'x'`,
    ]);
  });

  it('R-6.4 rules that take too long together end the validation', () => {
    let nowMs = 0;
    const rules = [{ rule: 'self.min > 0' }, { rule: 'self.min > 1' }];
    const spec = { type: 'object', properties: { min: integer }, 'x-kubernetes-validations': rules };
    const compiled = compileSchema({ type: 'object', properties: { spec } }, () => (nowMs += 900));
    expect(compiled.validate({ spec: { min: 0 } }).map(issueText)).toEqual([
      'spec: Invalid value: failed rule: self.min > 0',
      'spec: Invalid value: failed rule: self.min > 1',
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

describe('transition rules', () => {
  const immutable = 'self.mode == oldSelf.mode';
  const shrinks = '!has(oldSelf.storage) || quantity(self.storage).compareTo(quantity(oldSelf.storage)) >= 0';

  it('R-6.2 they are skipped without an old value and hold between two', () => {
    expect(judged(immutable, { mode: 'a' })).toEqual([]);
    expect(judged(immutable, { mode: 'a' }, { mode: 'a', a: 'x' })).toEqual([]);
    expect(judged(immutable, { mode: 'a' }, { mode: 'b' })).toEqual(['spec: Invalid value: no']);
    expect(judged(shrinks, { storage: '1Gi' }, { storage: '1024Mi' })).toEqual([]);
    expect(judged(shrinks, { storage: '1Gi' }, { storage: '2Gi' })).toEqual(['spec: Invalid value: no']);
  });

  it('R-6.2 self == oldSelf compares objects and lists by content', () => {
    const field = (type: JsonObject): JsonObject => ({
      ...type,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'immutable' }],
    });
    const compiled = compileSchema(
      {
        type: 'object',
        properties: {
          o: field({ type: 'object', properties: { x: { type: 'object', properties: { y: integer } } } }),
          l: field({ type: 'array', items: { type: 'object', properties: { y: integer } } }),
          s: field(text),
        },
      },
      () => 0,
    );
    const old: JsonObject = { o: { x: { y: 1 } }, l: [{ y: 1 }], s: 'a' };
    expect(compiled.validate({ o: { x: { y: 1 } }, l: [{ y: 1 }], s: 'a', n: 1 }, old)).toEqual([]);
    expect(compiled.validate({ o: { x: { y: 2 } }, l: [{ y: 2 }], s: 'b' }, old).map((issue) => issue.path)).toEqual([
      'o',
      'l',
      's',
    ]);
    expect(compiled.validate({ o: { x: { y: 2 } } }, {})).toEqual([]);
  });

  it('R-6.2 with optionalOldSelf a rule also runs on creation', () => {
    const rule = { rule: "oldSelf.hasValue() || self.mode == 'new'", message: 'no', optionalOldSelf: true };
    expect(judged(rule, { mode: 'old' })).toEqual(['spec: Invalid value: no']);
    expect(judged(rule, { mode: 'new' })).toEqual([]);
    expect(judged(rule, { mode: 'x' }, { mode: 'old' })).toEqual([]);
    const grows = { rule: 'oldSelf.optMap(o, o.min <= self.min).orValue(true)', message: 'no', optionalOldSelf: true };
    expect(judged(grows, { min: 1 })).toEqual([]);
    expect(judged(grows, { min: 1 }, { min: 2 })).toEqual(['spec: Invalid value: no']);
  });

  it('R-6.2 items of a list map meet the old item of their keys, also after a reordering', () => {
    const items: JsonObject = {
      type: 'object',
      required: ['name'],
      properties: { name: text, size: integer },
      'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'shrinks' }],
    };
    const list: JsonObject = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items,
    };
    const compiled = compileSchema({ type: 'object', properties: { list } }, () => 0);
    const old: JsonObject = {
      list: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
    };
    const next: JsonObject = {
      list: [
        { name: 'c', size: 0 },
        { name: 'b', size: 1 },
        { name: 'a', size: 5 },
      ],
    };
    expect(compiled.validate(next, old).map(issueText)).toEqual(['list[1]: Invalid value: shrinks']);
  });

  it('R-6.2 a part that did not change is judged by transition rules alone', () => {
    const rules = [
      { rule: 'self.min > 1', message: 'state' },
      { rule: 'self.max > oldSelf.max', message: 'transition' },
    ];
    const schema = { type: 'object', properties, 'x-kubernetes-validations': rules };
    const compiled = compileSchema({ type: 'object', properties: { spec: schema } }, () => 0);
    const spec = { min: 0, max: 1 };
    const run = (next: JsonObject): JsonValue[] =>
      compiled.validate({ spec: next, status: 1 }, { spec }).map(issueText);
    expect(run({ ...spec })).toEqual(['spec: Invalid value: transition']);
    expect(run({ min: 0, max: 2 })).toEqual(['spec: Invalid value: state']);
  });
});

describe('rules that are refused', () => {
  const shown = (rule: string): string =>
    `{"Rule":${JSON.stringify(rule).replace('>', '\\u003e')},"Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
  const at = 'openAPIV3Schema.properties[spec].x-kubernetes-validations[0]';

  it('R-6.4 an unknown field is pointed at', () => {
    expect(refusal('self.nope > 1')).toEqual([
      `${at}.rule: Invalid value: ${shown('self.nope > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^`,
    ]);
  });

  const rows: [rule: string | JsonObject, part: string][] = [
    ['self.a >', 'compilation failed: ERROR: <input>:1:9'],
    ['other', "undeclared reference to 'other' (in container '')"],
    ['self.a > 1', 'found no matching overload'],
    ['has(self.nope)', "undefined field 'nope'"],
    ['self.a.nope()', 'found no matching overload'],
    ['self.min + 1', 'cel expression must evaluate to a bool'],
    ['', `${at}.rule: Required value: rule is not specified`],
    ['self.a ==\n self.b', `${at}.message: Required value: message must be specified if rule contains line breaks`],
    [{ rule: 'true', message: ' ' }, `${at}.message: Invalid value: " ": must be non-empty if specified`],
    [{ rule: 'true', messageExpression: 'self.min' }, 'messageExpression must evaluate to a string'],
    [{ rule: 'true', fieldPath: '.nope' }, `${at}.fieldPath: Invalid value: ".nope": must be a valid path`],
    [
      { rule: 'true', reason: 'Because' },
      `${at}.reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
    [
      { rule: 'true', optionalOldSelf: true },
      `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ];
  it.each(rows)('R-6.4 %j', (rule, part) => {
    const faults = refusal(rule);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(part);
  });

  it('R-6.4 oldSelf is refused below a list whose items cannot be correlated', () => {
    const items = {
      type: 'object',
      properties: { a: text },
      'x-kubernetes-validations': [{ rule: 'self.a == oldSelf.a' }],
    };
    expect(refusal('true', { type: 'object', properties: { list: { type: 'array', items } } })).toEqual([
      'openAPIV3Schema.properties[spec].properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self.a == oldSelf.a": oldSelf cannot be used on the uncorrelatable portion of the schema within openAPIV3Schema.properties[spec].properties[list]',
    ]);
  });
});
