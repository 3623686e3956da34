import type { JsonObject } from '../json.ts';
import type { TypeVersion } from '../state/resource-type.ts';
import { partialMetadata } from '../state/stored-object.ts';

/** What each row carries in addition to its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject');
  return value === 'None' || value === 'Object' ? value : 'Metadata';
}

/** The meta.k8s.io/v1 Table of the objects. `headers` is false for all but the first event of a watch. */
export function toTable(
  version: TypeVersion,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  include: IncludeObject,
  nowMs: number,
  headers = true,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: headers ? version.columns.map(definition) : null,
    rows: objects.map((object) => ({
      cells: version.columns.map((column) => column.cell(object, nowMs)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : partialMetadata(object) }),
    })),
  };
}

function definition({ name, type, format, description, priority }: TypeVersion['columns'][number]): JsonObject {
  return { name, type, format, description, priority };
}
