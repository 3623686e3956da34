import { z } from 'zod';

/** The description of one setting, for docs/settings.md and for the error when its value is refused. */
export interface FieldNote {
  readonly about: string;
  /** The values that it accepts, as a noun phrase. */
  readonly allowed: string;
  /** A valid value, in YAML. */
  readonly example: string;
}

/** The notes of all settings, by their schema. */
const fieldNotes = z.registry<FieldNote>();

export function noted<Schema extends z.ZodType>(schema: Schema, note: FieldNote): Schema {
  fieldNotes.add(schema, note);
  return schema;
}

/** A schema of settings without its wrappers. */
export interface FieldSchema {
  readonly note: FieldNote | undefined;
  /** The default value, in the form in which a person writes it. */
  readonly fallback: unknown;
  readonly isOptional: boolean;
  /** The fields of a section; undefined for a value. */
  readonly shape: Readonly<Record<string, z.ZodType>> | undefined;
  /** The schema of the entries of a list; undefined for everything else. */
  readonly element: z.ZodType | undefined;
}

export function fieldSchema(schema: z.ZodType): FieldSchema {
  let note: FieldNote | undefined;
  let fallback: unknown;
  let isOptional = false;
  let current: z.ZodType | undefined = schema;
  let shape: Readonly<Record<string, z.ZodType>> | undefined;
  let element: z.ZodType | undefined;
  while (current !== undefined) {
    note ??= fieldNotes.get(current);
    let inner: unknown;
    if (current instanceof z.ZodPrefault || current instanceof z.ZodDefault) {
      fallback ??= current.def.defaultValue;
      inner = current.def.innerType;
    } else if (current instanceof z.ZodOptional) {
      isOptional = true;
      inner = current.def.innerType;
    } else if (current instanceof z.ZodPipe) {
      inner = current.def.in;
    } else if (current instanceof z.ZodObject) {
      shape = current.shape as Readonly<Record<string, z.ZodType>>;
    } else if (current instanceof z.ZodArray) {
      element = current.element as z.ZodType;
    }
    current = inner instanceof z.ZodType ? inner : undefined;
  }
  return { note, fallback, isOptional, shape, element };
}

/** The schema at a path of field names and list indices; undefined when the path leaves the schema. */
export function schemaAt(root: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = root;
  for (const step of path) {
    if (current === undefined) return undefined;
    const { shape = {}, element } = fieldSchema(current);
    if (typeof step === 'number') current = element;
    else current = Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
  }
  return current;
}

/** The note that is nearest to a path, and the field that has it: the field itself, or a list or section around it. */
export function noteAt(
  root: z.ZodType,
  path: readonly PropertyKey[],
): { readonly note: FieldNote; readonly field: string } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const schema = schemaAt(root, path.slice(0, length));
    const note = schema && fieldSchema(schema).note;
    const field = path[length - 1];
    if (note !== undefined && typeof field === 'string') return { note, field };
  }
  return undefined;
}
