import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../lib/apiserver/json.ts';
import { issueText } from '../../../lib/apiserver/schema/issue.ts';
import { compileSchema, SchemaError } from '../../../lib/apiserver/schema/schema.ts';
import { failingSpec, integer, properties, ruleMessageRows, ruleRows, text } from './rule-rows.ts';

/** What the server says of a spec under one rule, with the fields above. */
function judged(rule: string | JsonObject, spec: JsonObject, old?: JsonObject): string[] {
  const rules = [typeof rule === 'string' ? { rule, message: 'no' } : rule];
  const schema: JsonObject = { type: 'object', properties, 'x-kubernetes-validations': rules };
  const compiled = compileSchema({ type: 'object', properties: { spec: schema } });
  return compiled.validate({ spec }, old === undefined ? undefined : { spec: old }).map(issueText);
}

function refusal(rule: string | JsonObject, field: JsonObject = { type: 'object', properties }): string[] {
  const rules = [typeof rule === 'string' ? { rule } : rule];
  try {
    compileSchema({ type: 'object', properties: { spec: { ...field, 'x-kubernetes-validations': rules } } });
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.faults.map(issueText);
  }
}

describe('what rules can say', () => {
  it.each(ruleRows)('R-6.2 %s', (rule, holds, fails) => {
    expect(judged(rule, holds)).toEqual([]);
    expect(judged(rule, fails)).toEqual(['spec: Invalid value: no']);
  });

  it('R-6.2 a rule at the root sees the name of the object', () => {
    const rules = [{ rule: "self.metadata.name == 'only' && self.kind == 'K'", message: 'there is one' }];
    const compiled = compileSchema({ type: 'object', 'x-kubernetes-validations': rules });
    expect(compiled.validate({ apiVersion: 'v1', kind: 'K', metadata: { name: 'only', labels: { a: 'b' } } })).toEqual(
      [],
    );
    expect(compiled.validate({ apiVersion: 'v1', kind: 'K', metadata: { name: 'x' } }).map(issueText)).toEqual([
      '<nil>: Invalid value: there is one',
    ]);
  });
});

describe('the messages of rules', () => {
  it('R-6.4 the message has the value of a scalar, but not of an object or a list', () => {
    const rules = [{ rule: "duration(self) >= duration('1m')", message: ' must be at least 1m ' }];
    const compiled = compileSchema({
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { maxAge: { type: 'string', 'x-kubernetes-validations': rules } } },
      },
    });
    expect(compiled.validate({ spec: { maxAge: '30s' } })).toEqual([
      { path: 'spec.maxAge', reason: 'FieldValueInvalid', message: 'Invalid value: "30s": must be at least 1m' },
    ]);
  });

  it.each(ruleMessageRows)('R-6.4 %s', (_what, rule, line) => {
    expect(judged(rule, failingSpec)).toEqual([line]);
  });

  it('R-6.4 members of maps are named in brackets', () => {
    const values: JsonObject = { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] };
    const compiled = compileSchema({
      type: 'object',
      properties: { m: { type: 'object', additionalProperties: values }, l: { type: 'array', items: values } },
    });
    expect(compiled.validate({ m: { 'a.b': 'x' }, l: ['y', 'x'] }).map(issueText)).toEqual([
      `m[a.b]: Invalid value: "x": failed rule: self != 'x'`,
      `l[1]: Invalid value: "x": failed rule: self != 'x'`,
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
    const compiled = compileSchema({
      type: 'object',
      properties: {
        o: field({ type: 'object', properties: { x: { type: 'object', properties: { y: integer } } } }),
        l: field({ type: 'array', items: { type: 'object', properties: { y: integer } } }),
        s: field(text),
      },
    });
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
    const compiled = compileSchema({ type: 'object', properties: { list } });
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
    const compiled = compileSchema({ type: 'object', properties: { spec: schema } });
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
    ['self.a.nope()', "undeclared reference to 'nope' (in container '')"],
    ['self.a.startsWith(1)', "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['self.maybe == null', "found no matching overload for '_==_' applied to '(string, null)'"],
    ["[1, 'a'].size() == 2", "expected type 'int' but found 'string'"],
    ["self.a.matches('(')", 'invalid matches argument'],
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
