import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import { defineKind } from '../../../lib/index.ts';
import { convertSchema } from '../../../lib/kit/schema/convert-schema.ts';
import { refusedNames } from '../../../lib/kit/schema/rule-names.ts';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Website' } as const;
const fields = new Set(['namespace', 'in', 'my-field', 'a__b', 'a/b', 'name', 'x', 'x.y', 'import']);

/** The words that CEL reserves, as the API server lists them. */
const RESERVED =
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  );

describe('a rule in CEL', () => {
  it.each([
    ['self.namespace', { namespace: '__namespace__' }],
    ["has(self.namespace) && self.namespace != 'a'", { namespace: '__namespace__' }],
    ['oldSelf . namespace == self.__namespace__', { namespace: '__namespace__' }],
    ['self.in == 1', { in: '__in__' }],
    ['self.my-field > 1', { 'my-field': 'my__dash__field' }],
    ['self.a__b == 1', { a__b: 'a__underscores__b' }],
    ['self.?import.hasValue()', { import: '__import__' }],
    ['self.names.all(namespace, namespace.size() > 1)', { namespace: undefined }],
    ['self.loop', {}],
    ['self.x.y == 1', {}],
    ['self.name in ["namespace", \'self.namespace\'] // self.namespace', {}],
    ["self.name.matches(r'\\.namespace') && true && null == null", {}],
    ['self.__namespace__ == "" && self.my__dash__field == 1.0', {}],
    ["self.labels['namespace'] == 'a'", {}],
  ] satisfies [string, Record<string, string | undefined>][])(
    'R-6.9 the rule %s must write other names: %j',
    (rule, expected) => {
      const found = refusedNames(rule, fields);
      expect(Object.fromEntries(found.map(({ name, instead }) => [name, instead]))).toEqual(expected);
    },
  );

  it.each(RESERVED)(
    'R-6.9 R-6.4 the field %s is refused in a rule, and its other name is accepted by the API server',
    (word) => {
      const rules = (rule: string) => ({ 'x-kubernetes-validations': [{ rule }] });
      const schema = (rule: string) => z.object({ f: z.object({ [word]: z.string().max(9) }).meta(rules(rule)) });
      const refused = convertSchema(schema(`self.${word} != ''`), 'spec', { isStatus: false });
      expect(refused.faults).toEqual([
        `spec.f: its rule names the field ${word}, which CEL cannot read so; write __${word}__ instead, as in self.__${word}__.`,
      ]);
      const accepted = convertSchema(schema(`self.__${word}__ != ''`), 'spec', { isStatus: false });
      expect(accepted.faults).toEqual([]);
      const { validate } = compileSchema({ type: 'object', properties: { spec: accepted.schema } });
      expect(validate({ spec: { f: { [word]: '' } } })).toHaveLength(1);
      expect(validate({ spec: { f: { [word]: 'a' } } })).toEqual([]);
    },
  );

  it('R-6.9 R-6.4 defineKind refuses a rule of the kind, of a message or of a list when it reads a field by a reserved word', () => {
    const item = z.object({ namespace: z.string() });
    const rule = { rule: 'self.size() < 3', messageExpression: 'self[0].namespace' };
    const refs = z
      .array(item)
      .max(3)
      .meta({ 'x-kubernetes-validations': [rule] });
    const define = () =>
      defineKind({
        ...NAMES,
        spec: z.object({ refs, namespace: z.string() }),
        validations: [{ rule: "self.namespace != 'kube-system'", message: 'not there' }],
      });
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_KIND' }));
    expect(define).toThrow(
      /^kind Website: spec\.refs: its messageExpression names the field namespace, .*__namespace__/m,
    );
    expect(define).toThrow(/^kind Website: validations: its rule names the field namespace, .*self\.__namespace__\.$/m);
  });
});
