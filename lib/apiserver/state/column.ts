import type { JsonObject, JsonValue } from '../json.ts';

/** A column of the server-side table form (meta.k8s.io/v1 TableColumnDefinition) and how its cell is read. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; higher numbers only with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: JsonObject, nowMs: number) => JsonValue;
}
