import { objectAt, stringAt } from '../json.ts';
import type { Column } from '../state/column.ts';
import { age } from './age.ts';

const nameText =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

/** What a column needs in addition to its name and cell; the rest has defaults. */
export type ColumnOptions = Partial<Pick<Column, 'type' | 'format' | 'description' | 'priority'>>;

export function column(name: string, cell: Column['cell'], options: ColumnOptions = {}): Column {
  return { name, type: 'string', format: '', description: '', priority: 0, ...options, cell };
}

/** A column that `-o wide` shows. */
export function wide(name: string, cell: Column['cell'], options: ColumnOptions = {}): Column {
  return column(name, cell, { priority: 1, ...options });
}

export const nameColumn = column('Name', (object) => stringAt(objectAt(object, 'metadata'), 'name'), {
  format: 'name',
  description: nameText,
});

export const ageColumn = column(
  'Age',
  (object, nowMs) => ageCell(stringAt(objectAt(object, 'metadata'), 'creationTimestamp'), nowMs),
  {
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  },
);

export function ageCell(time: string, nowMs: number): string {
  return time === '' ? '<unknown>' : age(time, nowMs);
}
