import type { FieldIssue } from '../../api-error.ts';
import { forbiddenField, immutableField, invalidValue, tooLong } from '../../field-issue.ts';
import { deepEqual, ensureObject, type JsonObject, objectAt, stringAt } from '../../json.ts';
import { ageColumn, column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';

const contentLimitBytes = 1024 * 1024;

export const secretType = builtIn({
  resource: 'secrets',
  kind: 'Secret',
  selectableFields: new Map([['type', ['type']]]),
  columns: [
    nameColumn,
    column('Type', (secret) => stringAt(secret, 'type')),
    column('Data', (secret) => Object.keys(objectAt(secret, 'data') ?? {}).length),
    ageColumn,
  ],
  shape(secret) {
    setDefault(secret, 'type', 'Opaque');
    const stringData = objectAt(secret, 'stringData');
    if (stringData !== undefined) {
      const data = ensureObject(secret, 'data');
      for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString('base64');
    }
    delete secret.stringData;
  },
  strategy: {
    validate: validateSecret,
    validateUpdate(secret, old) {
      const issues = validateSecret(secret);
      if (!deepEqual(secret.type, old.type)) issues.push(immutableField('type', secret.type));
      return [...issues, ...validateImmutable(secret, old, ['data'])];
    },
  },
});

export const configMapType = builtIn({
  resource: 'configmaps',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  columns: [nameColumn, column('Data', (map) => entries(map).length), ageColumn],
  strategy: {
    validate: validateConfigMap,
    validateUpdate: (map, old) => [...validateConfigMap(map), ...validateImmutable(map, old, ['data', 'binaryData'])],
  },
});

function entries(map: JsonObject): [string, unknown][] {
  return [...Object.entries(objectAt(map, 'data') ?? {}), ...Object.entries(objectAt(map, 'binaryData') ?? {})];
}

function validateSecret(secret: JsonObject): FieldIssue[] {
  const data = Object.entries(objectAt(secret, 'data') ?? {});
  const sizeBytes = data.reduce((sum, [, value]) => sum + Math.floor((String(value).length * 3) / 4), 0);
  const issues = data.flatMap(([key]) => keyIssues(`data[${key}]`, key));
  if (sizeBytes > contentLimitBytes) issues.push(tooLong('data', contentLimitBytes));
  return issues;
}

function validateConfigMap(map: JsonObject): FieldIssue[] {
  const sizeBytes = entries(map).reduce((sum, [, value]) => sum + Buffer.byteLength(String(value)), 0);
  const issues = ['data', 'binaryData'].flatMap((field) =>
    Object.keys(objectAt(map, field) ?? {}).flatMap((key) => keyIssues(`${field}[${key}]`, key)),
  );
  if (sizeBytes > contentLimitBytes) issues.push(tooLong('', contentLimitBytes));
  return issues;
}

const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function keyIssues(path: string, key: string): FieldIssue[] {
  if (key.length > 253) return [invalidValue(path, key, 'must be no more than 253 bytes')];
  if (key === '.' || key === '..') return [invalidValue(path, key, `must not be '${key}'`)];
  return /^[-._a-zA-Z0-9]+$/.test(key) ? [] : [invalidValue(path, key, keyText)];
}

function validateImmutable(object: JsonObject, old: JsonObject, fields: readonly string[]): FieldIssue[] {
  if (old.immutable !== true) return [];
  const text = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', text)]),
    ...fields.filter((field) => !deepEqual(object[field], old[field])).map((field) => forbiddenField(field, text)),
  ];
}
