import type { JsonObject } from '../../core/kube-object.ts';
import type { ZodDef, ZodSchema } from './zod-def.ts';

/** Converts one schema. */
export type Convert = (schema: ZodSchema, path: string, conversion: Conversion) => JsonObject;

/** Where a schema stands, as the conversion goes down. */
export interface ConversionMode {
  /** In a status no field is required: an object of an older release need not have it. */
  readonly isStatus: boolean;
}

/** One conversion of a schema: what it refused, what it remarks, and the definitions that it is inside of. */
export class Conversion {
  readonly mode: ConversionMode;
  /** One line for each construct that a CustomResourceDefinition would weaken: where, what, and what to write instead. */
  readonly faults: string[] = [];
  readonly notes: string[] = [];
  readonly #convert: Convert;
  readonly #inside: ZodDef[] = [];

  constructor(convert: Convert, mode: ConversionMode) {
    this.#convert = convert;
    this.mode = mode;
  }

  /** @param path as a person writes it, e.g. `spec.hosts[]`. */
  convert(schema: ZodSchema, path: string): JsonObject {
    const { def } = schema._zod;
    if (this.#inside.includes(def)) {
      return this.refuse(path, 'the schema contains itself', 'use z.unknown() where it repeats');
    }
    this.#inside.push(def);
    try {
      return this.#convert(schema, path, this);
    } finally {
      this.#inside.pop();
    }
  }

  /** @returns a schema that lets everything through, so that the conversion goes on and finds the other faults. */
  refuse(path: string, what: string, remedy: string): JsonObject {
    this.faults.push(`${path}: ${what}; ${remedy}.`);
    return { 'x-kubernetes-preserve-unknown-fields': true };
  }

  note(path: string, text: string): void {
    const line = `${path}: ${text}.`;
    if (!this.notes.includes(line)) this.notes.push(line);
  }
}
