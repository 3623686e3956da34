import type { FieldIssue } from '../../api-error.ts';
import { forbiddenField, immutableField, invalidValue, tooLong } from '../../field-issue.ts';
import { deepEqual, ensureObject, isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../../json.ts';
import { goType } from '../../metadata/validate-metadata.ts';
import { ageColumn, column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';

const contentLimitBytes = 1024 * 1024;

export const secretType = builtIn({
  resource: 'secrets',
  kind: 'Secret',
  fields: ['data', 'stringData', 'immutable', 'type'],
  selectableFields: new Map([['type', ['type']]]),
  columns: [
    nameColumn,
    column('Type', (secret) => stringAt(secret, 'type')),
    column('Data', (secret) => Object.keys(objectAt(secret, 'data') ?? {}).length),
    ageColumn,
  ],
  decodeFault: (secret) =>
    stringMapFault('Secret', 'stringData', secret.stringData) ?? base64Fault('Secret', 'data', secret.data),
  shape(secret) {
    dropEmpty(secret, ['data']);
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
  fields: ['data', 'binaryData', 'immutable'],
  shortNames: ['cm'],
  columns: [nameColumn, column('Data', (map) => entries(map).length), ageColumn],
  decodeFault: (map) =>
    stringMapFault('ConfigMap', 'data', map.data) ?? base64Fault('ConfigMap', 'binaryData', map.binaryData),
  shape: (map) => dropEmpty(map, ['data', 'binaryData']),
  strategy: {
    validate: validateConfigMap,
    validateUpdate: (map, old) => [...validateConfigMap(map), ...validateImmutable(map, old, ['data', 'binaryData'])],
  },
});

/** The real server leaves out an empty map. */
function dropEmpty(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) {
    const value = object[field];
    if (value === null || (isObject(value) && Object.keys(value).length === 0)) delete object[field];
  }
}

function stringMapFault(kind: string, field: string, map: JsonValue | undefined): string | undefined {
  if (map === undefined || map === null) return undefined;
  const target = `Go struct field ${kind}.${field} of type`;
  if (!isObject(map)) return `json: cannot unmarshal ${goType(map)} into ${target} map[string]string`;
  const bad = Object.values(map).find((value) => typeof value !== 'string' && value !== null);
  return bad === undefined ? undefined : `json: cannot unmarshal ${goType(bad)} into ${target} string`;
}

function base64Fault(kind: string, field: string, map: JsonValue | undefined): string | undefined {
  const fault = stringMapFault(kind, field, map);
  if (fault !== undefined || !isObject(map)) return fault;
  for (const value of Object.values(map)) {
    if (typeof value !== 'string' || Buffer.from(value, 'base64').toString('base64') === value) continue;
    const illegal = value.search(/[^A-Za-z0-9+/]/);
    return `illegal base64 data at input byte ${illegal < 0 ? value.length - (value.length % 4) : illegal}`;
  }
  return undefined;
}

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
