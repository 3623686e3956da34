import { z } from 'zod';
import { fieldSchema, noted } from '../../controllers/field-note.ts';
import { type Group, SECRET_FILES } from '../../kit/group/define-group.ts';

/** An author's group that was not defined by `defineGroup` has no settings. Its module contains its configuration. */
const EMPTY = z.strictObject({}).prefault({});

/**
 * The settings section of an author's group: the fields of its schema, and the files of its secrets for one machine.
 * @param unknownFields `dropped` for the older of two versions that run together: the newer one checks the fields.
 */
export function groupSection(
  group: Group | undefined,
  unknownFields: 'refused' | 'dropped' = 'refused',
): z.ZodType<Readonly<Record<string, unknown>>> {
  if (group === undefined) return EMPTY;
  noteFields(group.settings);
  const secrets = Object.entries(group.secrets);
  const files = z.object(Object.fromEntries(secrets.map(([name, what]) => [name, fileField(name, what)])));
  const closed = (section: z.ZodObject) => (unknownFields === 'refused' ? section.strict() : section.strip());
  if (secrets.length === 0) return closed(group.settings);
  return closed(group.settings.safeExtend({ [SECRET_FILES]: closed(files).prefault({}) }));
}

function fileField(name: string, what: string) {
  return noted(z.string().min(1).optional(), {
    about: `File with ${what}, for one machine. A cloud deployment reads it from Secrets Manager.`,
    allowed: 'the path of a file',
    example: `./${name}`,
  });
}

/** Gives each field of an author's schema a note, from its description and from what the schema accepts. */
function noteFields(schema: z.ZodType): void {
  const { shape } = fieldSchema(schema);
  for (const field of Object.values(shape ?? {})) {
    const known = fieldSchema(field);
    if (known.shape !== undefined) noteFields(field);
    else if (known.note === undefined) noted(field, noteOf(field, known.fallback));
  }
}

function noteOf(schema: z.ZodType, fallback: unknown) {
  const example = exampleOf(schema) ?? (typeof fallback === 'function' ? undefined : fallback);
  return {
    about: metaOf(schema, ({ description }) => description) ?? '',
    allowed: allowedText(schema),
    ...(example !== undefined && { example: yamlOf(example) }),
  };
}

/** A value as YAML: JSON, without quotes where none are needed. The bundles of functions have no YAML library. */
function yamlOf(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[A-Za-z][A-Za-z0-9./:_-]*[A-Za-z0-9]$/.test(value);
  return isPlain && !/^(true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value);
}

function exampleOf(schema: z.ZodType): unknown {
  const examples = metaOf(schema, (meta) => meta.examples);
  return Array.isArray(examples) ? (examples[0] as unknown) : undefined;
}

/** The nearest value of `.meta()` or `.describe()`: of the schema, or of what it wraps. */
function metaOf<Value>(schema: z.ZodType, of: (meta: z.core.GlobalMeta) => Value | undefined): Value | undefined {
  for (let looked: z.ZodType | undefined = schema; looked !== undefined; looked = wrapped(looked)) {
    const value = of(looked.meta() ?? {});
    if (value !== undefined) return value;
  }
  return undefined;
}

function wrapped(schema: z.ZodType): z.ZodType | undefined {
  const { innerType, in: written } = schema.def as { innerType?: unknown; in?: unknown };
  if (innerType instanceof z.ZodType) return innerType;
  return written instanceof z.ZodType ? written : undefined;
}

/** What a schema accepts, as a noun phrase. */
function allowedText(schema: z.ZodType): string {
  const inner = wrapped(schema);
  if (inner !== undefined) return allowedText(inner);
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const values = schema instanceof z.ZodEnum ? schema.options : [...schema.values];
    return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
  }
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNumber) return numberText(schema);
  if (schema instanceof z.ZodURL) return 'a URL';
  if (schema instanceof z.ZodStringFormat) return `a text of the format ${schema.format}`;
  if (schema instanceof z.ZodString) return textText(schema);
  if (schema instanceof z.ZodArray) return `a list, each entry ${allowedText(schema.element as z.ZodType)}`;
  if (schema instanceof z.ZodUnion)
    return schema.options.map((option) => allowedText(option as z.ZodType)).join(', or ');
  if (schema instanceof z.ZodRecord) return 'a section of names and values';
  return 'a value that the schema of the group accepts';
}

function numberText({ minValue, maxValue, format }: z.ZodNumber): string {
  const what = format?.includes('int') ? 'a whole number' : 'a number';
  const least = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? undefined : minValue;
  const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? undefined : maxValue;
  if (least !== undefined && most !== undefined) return `${what} from ${least} to ${most}`;
  if (least !== undefined) return `${what} of ${least} or more`;
  return most === undefined ? what : `${what} of ${most} or less`;
}

function textText({ minLength, maxLength }: z.ZodString): string {
  if (minLength !== null && maxLength !== null) return `a text of ${minLength} to ${maxLength} characters`;
  if (maxLength !== null) return `a text of ${maxLength} characters or less`;
  return minLength === null ? 'a text' : `a text of ${minLength} characters or more`;
}
