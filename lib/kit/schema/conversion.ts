import type { JsonObject } from '../../core/kube-object.ts';
import type { ZodDef, ZodSchema } from './zod-def.ts';

/** Converts one schema. */
export type Convert = (schema: ZodSchema, path: string, conversion: Conversion) => JsonObject;

/** What the conversion of a schema knows about the schemas around it. */
export interface ConversionMode {
  /** In a status no field is required, because an object of an older release may not have it. */
  readonly isStatus: boolean;
}

/** The deepest nesting of schemas. A lazy schema that creates a new one each time has no end. */
export const MAX_DEPTH = 100;

/** One conversion of a schema: its errors, its notes, and the definitions that it is inside of. */
export class Conversion {
  readonly mode: ConversionMode;
  /**
   * One line for each construct that a CustomResourceDefinition would check less strictly: where it is, what is wrong,
   * and what to write instead.
   */
  readonly faults: string[] = [];
  readonly notes: string[] = [];
  readonly #convert: Convert;
  readonly #inside: ZodDef[] = [];
  /**
   * When one schema is too deep, no other schema is converted: a schema with two such fields has too many parts to
   * visit.
   */
  #isTooDeep = false;

  constructor(convert: Convert, mode: ConversionMode) {
    this.#convert = convert;
    this.mode = mode;
  }

  /** @param path in the form that a person writes, e.g. `spec.hosts[]`. */
  convert(schema: ZodSchema, path: string): JsonObject {
    const { def } = schema._zod;
    if (this.#isTooDeep) return ANYTHING;
    if (this.#inside.includes(def)) {
      return this.refuse(path, 'the schema contains itself', 'use z.unknown() where it repeats');
    }
    if (this.#inside.length >= MAX_DEPTH) return this.refuseDepth(path);
    this.#inside.push(def);
    try {
      return this.#convert(schema, path, this);
    } catch (error) {
      // The code of the author runs here: the getters of lazy schemas and of fields.
      if (error instanceof RangeError) return this.refuseDepth(path);
      const message = error instanceof Error ? error.message : String(error);
      return this.refuse(path, `the schema cannot be read: ${message}`, 'correct the getter that throws');
    } finally {
      this.#inside.pop();
    }
  }

  /** @returns a schema that accepts everything, so that the conversion continues and finds the other errors. */
  refuse(path: string, what: string, remedy: string): JsonObject {
    this.faults.push(`${path}: ${what}; ${remedy}.`);
    return ANYTHING;
  }

  /** Refuses a schema without an end. Reported once, because no schema around it has an end either. */
  refuseDepth(path: string): JsonObject {
    if (this.#isTooDeep) return ANYTHING;
    this.#isTooDeep = true;
    return this.refuse(path, 'nested too deeply or contains itself', 'use z.unknown() where it repeats');
  }

  note(path: string, text: string): void {
    const line = `${path}: ${text}.`;
    if (!this.notes.includes(line)) this.notes.push(line);
  }
}

const ANYTHING: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
