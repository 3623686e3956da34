import { z } from 'zod';

/** A part of an OpenAPI schema in a CustomResourceDefinition. */
type Schema = Readonly<Record<string, unknown>>;

const definitionSchema = z.looseObject({
  spec: z.looseObject({
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: z.boolean().optional(),
        storage: z.boolean().optional(),
        schema: z.looseObject({ openAPIV3Schema: z.record(z.string(), z.unknown()).optional() }).optional(),
      }),
    ),
  }),
});

/**
 * Bounds that a new schema may only tighten: for an upper bound that is a smaller value, for a lower bound a larger
 * one.
 */
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Keywords that an older reader depends on, so they must not change. */
const FIXED = ['type', 'format', 'pattern', 'x-kubernetes-int-or-string', 'multipleOf'] as const;

/**
 * The fields in which objects of a new CustomResourceDefinition may be different from what the old code expects: a
 * field that is gone or has another type, one that may now be absent, or one with a value that was not allowed before.
 * A new optional field is not in the list, because old code ignores it.
 * @returns e.g. `spec.size: its type is another one`; empty when old code can read everything.
 */
export function unreadableFields(current: unknown, next: unknown): string[] {
  const [before, after] = [current, next].map((definition) => definitionSchema.parse(definition).spec.versions);
  return (before ?? [])
    .filter(({ served }) => served !== false)
    .flatMap(({ name, storage, schema }) => {
      const version = after?.find((each) => each.name === name);
      if (version === undefined || version.served === false) return [`version ${name}: it is not served any more`];
      if (storage === true && version.storage !== true)
        return [`version ${name}: objects are stored in another version`];
      return compare(schema?.openAPIV3Schema ?? {}, version.schema?.openAPIV3Schema ?? {}, '');
    });
}

function compare(before: Schema, after: Schema, path: string): string[] {
  const at = path === '' ? 'the object' : path;
  const fixed = FIXED.filter((field) => before[field] !== undefined && before[field] !== after[field]);
  return [
    ...fixed.map((field) => `${at}: its ${field} is another one`),
    ...(after.nullable === true && before.nullable !== true ? [`${at}: it may be null`] : []),
    ...(before.default !== undefined && after.default === undefined ? [`${at}: it has no default any more`] : []),
    ...wider(before, after).map((field) => `${at}: its ${field} is wider`),
    ...moreValues(before, after).map((value) => `${at}: ${value} is allowed`),
    ...missingRules(before, after).map((rule) => `${at}: the rule ${rule} is gone`),
    ...membersOf(before, after, path),
  ];
}

function membersOf(before: Schema, after: Schema, path: string): string[] {
  const [left, right] = [before, after].map(({ properties }) => fields(properties));
  const [wasRequired, isRequired] = [before, after].map(({ required }) => texts(required));
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`);
  return [
    ...Object.entries(left ?? {}).flatMap(([name, schema]) => {
      const now = right?.[name];
      if (now === undefined) return [`${inner(name)}: it is gone`];
      const isOptional = wasRequired?.includes(name) === true && isRequired?.includes(name) !== true;
      return [
        ...(isOptional ? [`${inner(name)}: it may be absent`] : []),
        ...compare(fields(schema), fields(now), inner(name)),
      ];
    }),
    ...(['items', 'additionalProperties'] as const).flatMap((member) =>
      before[member] === undefined ? [] : compare(fields(before[member]), fields(after[member]), `${path}[*]`),
    ),
  ];
}

function wider(before: Schema, after: Schema): string[] {
  const isWider = (field: string, isMore: (limit: number, was: number) => boolean) => {
    const [was, limit] = [before[field], after[field]];
    if (typeof was !== 'number') return false;
    return typeof limit !== 'number' || isMore(limit, was);
  };
  return [
    ...UPPER_BOUNDS.filter((field) => isWider(field, (limit, was) => limit > was)),
    ...LOWER_BOUNDS.filter((field) => isWider(field, (limit, was) => limit < was)),
  ];
}

function moreValues(before: Schema, after: Schema): string[] {
  if (!Array.isArray(before.enum)) return [];
  if (!Array.isArray(after.enum)) return ['any value'];
  const known = new Set(before.enum.map((value) => JSON.stringify(value)));
  return after.enum.map((value) => JSON.stringify(value)).filter((value) => !known.has(value));
}

function missingRules(before: Schema, after: Schema): string[] {
  const rulesOf = (schema: Schema) => {
    const rules = schema['x-kubernetes-validations'];
    return Array.isArray(rules) ? rules.map((rule) => String(fields(rule).rule)) : [];
  };
  const now = new Set(rulesOf(after));
  return rulesOf(before).filter((rule) => !now.has(rule));
}

function fields(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function texts(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
