import type { JsonObject } from '../../core/kube-object.ts';
import type { ZodDef, ZodSchema } from './zod-def.ts';

/** Converts one schema. */
export type Convert = (schema: ZodSchema, path: string, conversion: Conversion) => JsonObject;

/** Where a schema stands, as the conversion goes down. */
export interface ConversionMode {
  /** In a status no field is required: an object of an older release need not have it. */
  readonly isStatus: boolean;
}

/** How many schemas may be inside one another. A schema that makes another one each time has no end. */
export const MAX_DEPTH = 100;

/** One conversion of a schema: what it refused, what it remarks, and the definitions that it is inside of. */
export class Conversion {
  readonly mode: ConversionMode;
  /** One line for each construct that a CustomResourceDefinition would weaken: where, what, and what to write instead. */
  readonly faults: string[] = [];
  readonly notes: string[] = [];
  readonly #convert: Convert;
  readonly #inside: ZodDef[] = [];
  /** After one schema was too deep no other is converted: a schema with two such fields has too many parts to visit. */
  #isTooDeep = false;

  constructor(convert: Convert, mode: ConversionMode) {
    this.#convert = convert;
    this.mode = mode;
  }

  /** @param path as a person writes it, e.g. `spec.hosts[]`. */
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
      // The author's code runs here: getters of lazy schemas and of fields.
      if (error instanceof RangeError) return this.refuseDepth(path);
      const message = error instanceof Error ? error.message : String(error);
      return this.refuse(path, `the schema cannot be read: ${message}`, 'correct the getter that throws');
    } finally {
      this.#inside.pop();
    }
  }

  /** @returns a schema that lets everything through, so that the conversion goes on and finds the other faults. */
  refuse(path: string, what: string, remedy: string): JsonObject {
    this.faults.push(`${path}: ${what}; ${remedy}.`);
    return ANYTHING;
  }

  /** Refuses a schema that has no end. Reported once, because every schema around it has no end either. */
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
