import type { FieldIssue } from '../api-error.ts';
import { forbiddenField, immutableField, invalidValue, requiredValue, tooLong } from '../field-issue.ts';
import { deepEqual, isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import type { NameRule, Scope } from '../state/resource-type.ts';
import { labelFaults, labelValueFaults, nameFaults, qualifiedNameFaults } from './names.ts';

const annotationsLimitBytes = 256 * 1024;

/** Checks `metadata` as k8s.io/apimachinery's ValidateObjectMeta does. */
export function validateMetadata(metadata: JsonObject, scope: Scope, names: NameRule): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const generateName = stringAt(metadata, 'generateName');
  if (generateName !== '') {
    for (const fault of nameFaults(names, generateName, true)) {
      issues.push(invalidValue('metadata.generateName', generateName, fault));
    }
  }
  const name = stringAt(metadata, 'name');
  if (name === '') issues.push(requiredValue('metadata.name', 'name or generateName is required'));
  else for (const fault of nameFaults(names, name)) issues.push(invalidValue('metadata.name', name, fault));

  const namespace = stringAt(metadata, 'namespace');
  if (scope === 'Cluster') {
    if (namespace !== '') issues.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  } else if (namespace === '') {
    issues.push(requiredValue('metadata.namespace'));
  } else {
    for (const fault of labelFaults(namespace)) issues.push(invalidValue('metadata.namespace', namespace, fault));
  }
  issues.push(
    ...validateLabels(objectAt(metadata, 'labels')),
    ...validateAnnotations(objectAt(metadata, 'annotations')),
  );
  issues.push(...validateOwnerReferences(metadata), ...validateFinalizers(stringsAt(metadata, 'finalizers')));
  return issues;
}

/** Refuses changes of metadata that an update may not make, as ValidateObjectMetaUpdate does. */
export function validateMetadataUpdate(metadata: JsonObject, old: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(stringsAt(old, 'finalizers'));
    const extra = stringsAt(metadata, 'finalizers').filter((finalizer) => !known.has(finalizer));
    if (extra.length > 0) {
      const list = `[]string{${[...extra]
        .sort()
        .map((each) => JSON.stringify(each))
        .join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      issues.push(forbiddenField('metadata.finalizers', detail));
    }
  }
  const fixed = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
  for (const field of fixed) {
    if (!deepEqual(metadata[field], old[field])) issues.push(immutableField(`metadata.${field}`, metadata[field]));
  }
  return [
    ...issues,
    ...validateLabels(objectAt(metadata, 'labels')),
    ...validateAnnotations(objectAt(metadata, 'annotations')),
    ...validateOwnerReferences(metadata),
  ];
}

function validateLabels(labels: JsonObject | undefined): FieldIssue[] {
  const path = 'metadata.labels';
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalidValue(path, key, fault)),
    ...labelValueFaults(String(value)).map((fault) => invalidValue(path, value, fault)),
  ]);
}

function validateAnnotations(annotations: JsonObject | undefined): FieldIssue[] {
  const path = 'metadata.annotations';
  let sizeBytes = 0;
  const issues = Object.entries(annotations ?? {}).flatMap(([key, value]) => {
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
    return qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidValue(path, key, fault));
  });
  if (sizeBytes > annotationsLimitBytes) issues.push(tooLong(path, annotationsLimitBytes));
  return issues;
}

function validateOwnerReferences(metadata: JsonObject): FieldIssue[] {
  const references = objectsAt(metadata, 'ownerReferences');
  const issues = references.flatMap((reference, index) => {
    const path = `metadata.ownerReferences[${index}]`;
    const apiVersion = stringAt(reference, 'apiVersion');
    const missing = ['apiVersion', 'kind', 'name', 'uid'].filter((field) => stringAt(reference, field) === '');
    return [
      ...missing.map((field) => requiredValue(`${path}.${field}`, 'must not be empty')),
      ...(apiVersion.split('/').length > 2
        ? [invalidValue(`${path}.apiVersion`, apiVersion, 'must be <group>/<version> or <version>')]
        : []),
      ...(apiVersion === 'v1' && reference.kind === 'Event'
        ? [invalidValue(path, reference, '/v1, Kind=Event is disallowed from being an owner')]
        : []),
    ];
  });
  const controllers = references.filter((reference) => reference.controller === true);
  const [first, ...more] = controllers.map((each) => `${stringAt(each, 'kind')}/${stringAt(each, 'name')}`);
  for (const other of more) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`;
    issues.push(invalidValue('metadata.ownerReferences', [...references], detail));
  }
  return issues;
}

function validateFinalizers(finalizers: readonly string[]): FieldIssue[] {
  const path = 'metadata.finalizers';
  const issues = finalizers.flatMap((finalizer) =>
    qualifiedNameFaults(finalizer).map((fault) => invalidValue(path, finalizer, fault)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    issues.push(invalidValue(path, [...finalizers], detail));
  }
  return issues;
}

/**
 * The first value inside `metadata` that has a wrong JSON type; undefined when there is none. The real server finds it
 * while it decodes.
 */
export function metadataTypeFault(metadata: JsonObject): string | undefined {
  const strings = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'];
  for (const field of strings) {
    const value = metadata[field];
    if (value !== undefined && value !== null && typeof value !== 'string') {
      return `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.${field} of type string`;
    }
  }
  for (const field of ['labels', 'annotations']) {
    const map = metadata[field];
    if (map === undefined || map === null) continue;
    if (!isObject(map)) {
      return `json: cannot unmarshal ${goType(map)} into Go struct field ObjectMeta.${field} of type map[string]string`;
    }
    const bad = Object.values(map).find((value) => typeof value !== 'string');
    if (bad !== undefined) {
      return `json: cannot unmarshal ${goType(bad)} into Go struct field ObjectMeta.${field} of type string`;
    }
  }
  const grace = metadata.deletionGracePeriodSeconds;
  if (grace !== undefined && grace !== null && numberAt(metadata, 'deletionGracePeriodSeconds') === undefined) {
    return `json: cannot unmarshal ${goType(grace)} into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64`;
  }
  return undefined;
}

/** The name that Go's decoder has for the JSON type of a value. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
