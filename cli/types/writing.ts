import type { JsonObject } from '../../lib/core/kube-object.ts';
import type { Notes } from './notes.ts';

/** A schema of zod as text, and the keywords of the definition that it stands for. The others go into meta(). */
export interface SchemaPart {
  readonly text: string;
  readonly says: readonly string[];
  /** Keywords for meta() that do not stand in the definition in this way. */
  readonly meta?: JsonObject;
}

export interface WritingMode {
  readonly notes: Notes;
  /** In a status no field is required. */
  readonly isStatus: boolean;
  /** What the module imports from evenkeel. */
  readonly imports: Set<string>;
}

/** Writes the schema of a field. @param keys fields by which a list is keyed; they are required in a status too. */
export type WriteSchema = (schema: JsonObject, path: string, writing: Writing, keys?: readonly string[]) => string;

/** One schema being written as text, with its inner schemas. */
export class Writing {
  readonly mode: WritingMode;
  readonly #write: WriteSchema;

  constructor(write: WriteSchema, mode: WritingMode) {
    this.#write = write;
    this.mode = mode;
  }

  /** @param path as a person writes it, e.g. `spec.hosts[]`. */
  write(schema: JsonObject, path: string, keys: readonly string[] = []): string {
    return this.#write(schema, path, this, keys);
  }

  note(path: string, text: string): void {
    this.mode.notes.add(path, text);
  }
}
