import { z } from 'zod';
import type { RefusedRow } from './refused-rows.ts';

const isNotC = (value: unknown) => value !== 'c';
const REFINE = /cannot run refine\(\)/;

/** A rule on a part of the schema that the conversion reads but does not convert. */
export const RULES_ON_PARTS: readonly RefusedRow[] = [
  ['refine() of an enum in a union', z.union([z.literal('a'), z.enum(['b', 'c']).refine(isNotC)]), REFINE],
  ['refine() of a literal in a union', z.union([z.literal('a').refine(isNotC), z.literal('b')]), REFINE],
  ['refine() of a readonly() option', z.union([z.int().readonly().refine(isNotC), z.string()]), REFINE],
  ['refine() of a lazy() option', z.union([z.int(), z.lazy(() => z.string()).refine(isNotC)]), REFINE],
  ['refine() of an only option', z.union([z.string().readonly().refine(isNotC)]), REFINE],
  ['refine() of a lazy()', z.lazy(() => z.string()).refine(isNotC), REFINE],
  ['refine() of a nullable() below optional()', z.string().nullable().refine(isNotC).optional(), REFINE],
  [
    'refine() of a tag',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a').refine(isNotC) }), z.object({ t: z.literal('b') })]),
    REFINE,
  ],
  [
    'refine() of a readonly() tag',
    z.discriminatedUnion('t', [z.object({ t: z.enum(['a', 'c']).readonly().refine(isNotC) })]).readonly(),
    REFINE,
  ],
  [
    'refine() of a readonly() option with a tag',
    z.discriminatedUnion('t', [
      z
        .object({ t: z.literal('a') })
        .readonly()
        .refine(isNotC),
      z.object({ t: z.literal('b') }),
    ]),
    REFINE,
  ],
  ['refine() of the words of keys', z.record(z.enum(['a', 'c']).refine(isNotC), z.string()), REFINE],
  ['refine() of the words of optional keys', z.partialRecord(z.enum(['a', 'c']).refine(isNotC), z.string()), REFINE],
  ['refine() of readonly() keys', z.record(z.string().readonly().refine(isNotC) as never, z.string()), REFINE],
  ['refine() of catchall()', z.object({}).catchall(z.unknown().refine(isNotC)), REFINE],
];

const RULE = { rule: 'self != "c"', message: 'not c' };
const VALIDATIONS = { 'x-kubernetes-validations': [RULE] };
const AT_PART = /meta\(\) with x-kubernetes-validations has no place here.*whole field/;

/** Keywords of Kubernetes that would weaken the schema or be lost. */
export const KEYWORDS: readonly RefusedRow[] = [
  [
    'meta() that opens an object',
    z.object({}).meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    /x-kubernetes-preserve-unknown-fields.*x-kubernetes-validations/,
  ],
  [
    'meta() that adds another type',
    z.string().meta({ 'x-kubernetes-int-or-string': true }),
    /x-kubernetes-int-or-string/,
  ],
  ['meta() that is no keyword', z.string().meta({ 'x-kubernetes-lists': 1 }), /x-kubernetes-lists/],
  [
    'meta() with one rule instead of a list',
    z.string().meta({ 'x-kubernetes-validations': RULE }),
    /must be a list of rules/,
  ],
  [
    'meta() that gives a keyword two values',
    z
      .array(z.string())
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' }),
    /two values/,
  ],
  ['meta() of an option', z.union([z.literal('a').meta(VALIDATIONS), z.literal('c')]), AT_PART],
  ['meta() of a number or a text', z.union([z.int().meta(VALIDATIONS), z.string()]), AT_PART],
  ['meta() of a readonly() option', z.union([z.int(), z.string().readonly().meta(VALIDATIONS)]), AT_PART],
  [
    'meta() of an option with a tag',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }).meta(VALIDATIONS), z.object({ t: z.literal('b') })]),
    AT_PART,
  ],
  [
    'meta() of a tag',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a').meta(VALIDATIONS) }), z.object({ t: z.literal('b') })]),
    AT_PART,
  ],
  ['meta() of keys', z.record(z.string().meta(VALIDATIONS), z.string()), AT_PART],
  ['meta() of a nullable()', z.string().nullable().meta(VALIDATIONS).optional(), AT_PART],
];

const self: z.ZodType = z.lazy(() => self);
const another = (): z.ZodType => z.lazy(another);
const tree = (): z.ZodType => z.object({ a: z.lazy(tree), b: z.lazy(tree) });
const fails = (): z.ZodType => {
  throw new Error('not yet');
};

function nested(depth: number): z.ZodType {
  let schema: z.ZodType = z.object({});
  for (let level = 0; level < depth; level += 1) schema = z.object({ a: schema });
  return schema;
}

const DEEP = /nested too deeply or contains itself/;

/** Schemas that never end, or that throw when they are read. */
export const ENDLESS: readonly RefusedRow[] = [
  ['lazy() that makes another schema each time', z.lazy(another), DEEP],
  ['lazy() that makes objects each time', z.lazy(tree), DEEP],
  ['lazy() of itself', self, /contains itself/],
  ['lazy() of itself in a union', z.union([self, z.string()]), DEEP],
  ['an option that has no end', z.union([z.lazy(another), z.string()]), DEEP],
  ['keys that have no end', z.record(self as never, z.string()), DEEP],
  ['3000 nested objects', nested(3_000), DEEP],
  ['lazy() that throws', z.lazy(fails), /cannot be read: not yet/],
  ['an option that throws', z.union([z.lazy(fails), z.string()]), /cannot be read: not yet/],
  [
    'a field that throws',
    z.object({
      get a() {
        return fails();
      },
    }),
    /cannot be read: not yet/,
  ],
];

const DEFAULT = /its own schema refuses the default/;

export const DEFAULTS: readonly RefusedRow[] = [
  ['a default that is too short', z.string().min(3).default('a'), DEFAULT],
  ['a default that is no word', z.enum(['a', 'b']).default('z' as never), DEFAULT],
  ['a prefault() that is too short', z.string().min(3).prefault('a'), DEFAULT],
  ['a default of a list with a wrong item', z.array(z.int().min(2)).default([1]), DEFAULT],
];

/** Strings, because a formatter would correct regular expressions like these. */
const PATTERNS: readonly (readonly [source: string, lacks: string])[] = [
  ['[[:alpha:]]', '[: in a class'],
  ['\\Qa.b\\E', 'an escaped letter Q'],
  ['\\Aa', 'an escaped letter A'],
  ['a\\z', 'an escaped letter z'],
  ['\\p{L}', 'an escaped letter p'],
  ['[\\b]', 'an escaped letter b in a class'],
  ['\\a', 'an escaped letter a'],
  ['\\é', 'an escaped letter é'],
  ['\\u12', 'an escaped letter u'],
  ['\\x1', 'an escaped letter x'],
  ['\\01', 'an octal character'],
  ['\\ud800', 'half of a character'],
  ['[\\S]', '\\S in a class'],
  ['[\\n-\\d]', 'a range that ends in a class'],
  ['[a-\\d]', 'a range that ends in a class'],
  ['a[]', 'an empty class'],
  ['a[^]', 'an empty class'],
  ['(x{500}){3}', 'a repetition of more than 1000'],
  ['((?:ax{20}){20}b){3}', 'a repetition of more than 1000'],
  ['(x{2,500}y){3,}', 'a repetition of more than 1000'],
];

/** Expressions with a different meaning for the API server, or with none. */
export const EXPRESSIONS: readonly RefusedRow[] = PATTERNS.map(([source, lacks]) => [
  `regex() with ${source}`,
  z.string().regex(new RegExp(source)),
  new RegExp(`its pattern needs ${lacks.replace(/[\\[]/g, String.raw`\$&`)}, which`),
]);

const PROTO = '__proto__' as const;
const NAME = /__proto__: no object can have a field of this name.*another name/;

export const NAMES: readonly RefusedRow[] = [
  ['a field __proto__', z.object({ [PROTO]: z.string() }), NAME],
  ['a key __proto__', z.record(z.enum(['a', PROTO]), z.string()), NAME],
  [
    'a tag __proto__',
    z.discriminatedUnion(PROTO, [z.object({ [PROTO]: z.literal('a') }), z.object({ [PROTO]: z.literal('b') })]),
    NAME,
  ],
  [
    'a field __proto__ of an option',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a'), [PROTO]: z.string() }), z.object({ t: z.literal('b') })]),
    NAME,
  ],
];
