import { type JsonObject, type JsonValue, jsonText, numberAt, objectsAt, stringAt } from '../json.ts';
import type { Column } from '../state/column.ts';
import { compileJsonPath } from '../table/json-path.ts';
import { ageCell, ageColumn, column, nameColumn } from '../table/standard-columns.ts';

/** The column of a CRD version that defines none. */
const age: JsonObject = {
  name: 'Age',
  type: 'date',
  description: ageColumn.description,
  jsonPath: '.metadata.creationTimestamp',
};

/** The table columns of a CRD version: first the name, then its additionalPrinterColumns. Without those, the age. */
export function customColumns(crdVersion: JsonObject): readonly Column[] {
  const additional = objectsAt(crdVersion, 'additionalPrinterColumns');
  return [nameColumn, ...(additional.length === 0 ? [age] : additional).map(additionalColumn)];
}

function additionalColumn(definition: JsonObject): Column {
  const jsonPath = stringAt(definition, 'jsonPath');
  const type = columnType(stringAt(definition, 'type'));
  const read = compileJsonPath(jsonPath);
  return column(stringAt(definition, 'name'), (object, nowMs) => cell(type, read(object)[0], nowMs), {
    type,
    format: stringAt(definition, 'format'),
    description:
      stringAt(definition, 'description') || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: numberAt(definition, 'priority') ?? 0,
  });
}

function columnType(text: string): Column['type'] {
  return text === 'integer' || text === 'number' || text === 'boolean' || text === 'date' ? text : 'string';
}

/** The cell is null when the value is missing, or when its type is not that of the column. */
function cell(type: Column['type'], value: JsonValue | undefined, nowMs: number): JsonValue {
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageCell(value, nowMs);
    case 'string':
      if (value === undefined) return null;
      return typeof value === 'string' ? value : jsonText(value);
  }
}
