import { z } from 'zod';

/** The schema of a field, and the message: what is wrong, and what to write instead. */
export type RefusedRow = readonly [name: string, schema: z.ZodType, message: RegExp];

const loop = z.object({
  name: z.string(),
  get next(): z.ZodType {
    return loop.optional();
  },
});

let count = 0;

export const REFUSED: readonly RefusedRow[] = [
  ['refine()', z.string().refine(() => true), /cannot run refine\(\).*in CEL, in validations/],
  ['superRefine()', z.object({}).superRefine(() => {}), /cannot run refine\(\)/],
  ['check()', z.array(z.string()).check(() => {}), /cannot run refine\(\)/],
  [
    'refine() of an optional field',
    z
      .string()
      .optional()
      .refine(() => true),
    /cannot run refine\(\)/,
  ],
  ['transform()', z.string().transform(Number), /change the value.*change it in the code/],
  ['pipe()', z.string().pipe(z.enum(['a'])), /change the value/],
  ['preprocess()', z.preprocess(String, z.string()), /change the value/],
  ['codec()', z.codec(z.string(), z.number(), { decode: Number, encode: String }), /change the value/],
  ['stringbool()', z.stringbool(), /change the value/],
  ['coerce', z.coerce.number(), /z\.coerce changes the value.*type that the field has in YAML/],
  ['coerce of a text', z.coerce.string(), /z\.coerce changes the value/],
  ['coerce of a boolean', z.coerce.boolean(), /z\.coerce changes the value/],
  ['float32()', z.float32(), /has no float32.*min\(\) and max\(\)/],
  ['a bound beyond 64 bits', z.number().max(1e30), /no bound beyond 64 bits/],
  ['trim()', z.string().trim(), /trim\(\).*regex\(\)/],
  ['toLowerCase()', z.string().toLowerCase(), /toLowerCase\(\)/],
  ['catch()', z.string().catch('a'), /replaces what is wrong.*default\(\)/],
  ['a lookahead', z.string().regex(/^(?!x)/), /needs a lookahead/],
  ['a lookbehind', z.string().regex(/(?<=x)y/), /needs a lookbehind/],
  ['a back reference', z.string().regex(/(a)\1/), /needs a back reference/],
  ['a flag', z.string().regex(/a/i), /needs the flag i.*\[Aa\]/],
  ['a large repetition', z.string().regex(/a{1,2000}/), /a repetition of more than 1000/],
  [
    'keys of a record with a pattern',
    z.record(z.string().regex(/a/), z.string()),
    /checks no keys of a map.*k\.matches/,
  ],
  ['looseRecord()', z.looseRecord(z.string().regex(/a/), z.string()), /checks no keys of a map/],
  ['record() with a number', z.record(z.number(), z.string()), /checks no keys of a map/],
  ['a format by code', z.jwt(), /cannot check the format jwt/],
  ['a format of a function', z.stringFormat('id', () => true), /cannot check the format id.*regex\(\)/],
  ['hostname()', z.hostname(), /use dnsName\(\) of evenkeel/],
  ['iso.duration()', z.iso.duration(), /use duration\(\) of evenkeel/],
  ['emoji()', z.emoji(), /the pattern of the format emoji needs/],
  ['nullable()', z.string().nullable(), /null and a missing field are one.*nullish\(\)/],
  ['null()', z.null(), /null and a missing field are one/],
  ['undefined()', z.undefined(), /JSON has no undefined/],
  ['void()', z.void(), /JSON has no undefined/],
  ['never()', z.never(), /no value is valid/],
  ['tuple()', z.tuple([z.string(), z.number()]), /items of one schema.*z\.object\(\)/],
  ['intersection()', z.intersection(z.object({}), z.object({})), /a\.extend\(b\.shape\)/],
  ['set()', z.set(z.string()), /JSON has no Set.*x-kubernetes-list-type/],
  ['map()', z.map(z.string(), z.string()), /JSON has no Map.*z\.record/],
  ['date()', z.date(), /JSON has no Date.*z\.iso\.datetime/],
  ['bigint()', z.bigint(), /JSON has no BigInt/],
  ['symbol()', z.symbol(), /JSON has no Symbol/],
  ['nan()', z.nan(), /JSON has no NaN/],
  ['file()', z.file(), /JSON has no File/],
  ['promise()', z.promise(z.string()), /JSON has no Promise/],
  ['custom()', z.custom(() => true), /cannot run custom\(\)/],
  ['instanceof()', z.instanceof(URL), /cannot run custom\(\)/],
  ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), /z\.discriminatedUnion/],
  ['a union of a list and a text', z.union([z.array(z.string()), z.string()]), /cannot tell these alternatives apart/],
  ['words of two types', z.literal(['a', 1]), /of different types/],
  ['a schema that contains itself', loop, /the schema contains itself.*z\.unknown\(\)/],
  ['json()', z.json(), /alternatives|contains itself/],
  ['catchall() next to fields', z.object({ a: z.string() }).catchall(z.string()), /exclude each other/],
  ['a default that changes', z.number().default(() => count++), /different each time/],
  ['default() of an optional field', z.string().optional().default('a'), /is never absent/],
  [
    'a default in one option of a union',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a'), x: z.string().default('y') })]).or(z.string()),
    /default for every tag|cannot tell/,
  ],
  [
    'a field with two schemas in a union',
    z.discriminatedUnion('t', [
      z.object({ t: z.literal('a'), x: z.string() }),
      z.object({ t: z.literal('b'), x: z.number() }),
    ]),
    /two options have it with different schemas/,
  ],
  [
    'a strict option of a union',
    z.discriminatedUnion('t', [z.strictObject({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    /an option is strict or loose/,
  ],
];
