import { describe, expect, it } from 'vitest';
import { schemaChanges } from '../../../cli/definitions/schema-changes.ts';
import { escapedRule } from '../../../cli/types/escaped-rule.ts';
import { Notes } from '../../../cli/types/notes.ts';
import { schemaText } from '../../../cli/types/schema-text.ts';
import { Writing } from '../../../cli/types/writing.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';

const TEXT = { type: 'string' };
const REF = { type: 'object', properties: { namespace: TEXT, name: TEXT } };
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    namespace: TEXT,
    if: TEXT,
    name: TEXT,
    ref: REF,
    refs: { type: 'array', items: REF },
    byName: { type: 'object', additionalProperties: REF },
    labels: { type: 'object', additionalProperties: TEXT },
  },
};

describe('a rule of an existing CRD', () => {
  it.each([
    ["self.namespace != ''", "self.__namespace__ != ''"],
    ['has(self.namespace) && self.if == self.name', 'has(self.__namespace__) && self.__if__ == self.name'],
    ['oldSelf . namespace == self.namespace', 'oldSelf . __namespace__ == self.__namespace__'],
    ['self.?namespace.orValue("")', 'self.?__namespace__.orValue("")'],
    ['self.ref.namespace.size() < 3', 'self.ref.__namespace__.size() < 3'],
    ['self.refs.all(r, has(r.namespace))', 'self.refs.all(r, has(r.__namespace__))'],
    ['self.refs[0].namespace == "a"', 'self.refs[0].__namespace__ == "a"'],
    ['self.labels.namespace == "a"', `self.labels['namespace'] == "a"`],
    ['self.labels.?namespace.hasValue()', `self.labels[?'namespace'].hasValue()`],
    ['self.byName.namespace.namespace != ""', `self.byName['namespace'].__namespace__ != ""`],
    ["self.name == 'self.namespace' // self.namespace", "self.name == 'self.namespace' // self.namespace"],
    ['self.__namespace__ == self.ref.name', 'self.__namespace__ == self.ref.name'],
    ['self.labels.loop == "a"', 'self.labels.loop == "a"'],
  ])('R-6.9 %s is written as %s', (rule, expected) => {
    expect(escapedRule(rule, SCHEMA)).toBe(expected);
  });

  it('R-6.9 types escapes a rule and its message, and notes that', () => {
    const notes = new Notes();
    const given = { rule: 'has(self.namespace)', messageExpression: "'no ' + self.namespace" };
    const schema = { ...SCHEMA, 'x-kubernetes-validations': [given] };
    const text = schemaText(schema, 'spec', new Writing(schemaText, { notes, isStatus: false, imports: new Set() }));
    expect(text).toContain(`{ rule: 'has(self.__namespace__)', messageExpression: "'no ' + self.__namespace__" }`);
    expect(notes.lines()).toEqual([expect.stringContaining('its rules name fields as CEL escapes them')]);
  });

  it('R-6.9 check --against finds no new rule when a rule only names a field in the other way', () => {
    const ruled = (rule: string) => ({ ...SCHEMA, 'x-kubernetes-validations': [{ rule }] });
    const [plain, escaped] = [ruled("self.namespace != ''"), ruled("self.__namespace__ != ''")];
    expect(schemaChanges(plain, escaped, 'spec')).toEqual([]);
    expect(schemaChanges(escaped, plain, 'spec')).toEqual([]);
    expect(schemaChanges(plain, ruled("self.ref.__namespace__ != ''"), 'spec')).toHaveLength(1);
  });
});
