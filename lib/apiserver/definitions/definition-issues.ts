import type { FieldIssue } from '../api-error.ts';
import { immutableField, invalidValue, notSupported, requiredValue } from '../field-issue.ts';
import { deepEqual, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import { label1035Faults, subdomainFaults } from '../metadata/names.ts';
import { compileJsonPath } from '../table/json-path.ts';
import { schemaIssues } from './schema-issues.ts';

/** The errors of a CustomResourceDefinition and of its schemas. @param old the definition that it replaces. */
export function definitionIssues(crd: JsonObject, old?: JsonObject): FieldIssue[] {
  const spec = objectAt(crd, 'spec');
  const names = objectAt(spec, 'names');
  const group = stringAt(spec, 'group');
  const plural = stringAt(names, 'plural');
  const name = stringAt(objectAt(crd, 'metadata'), 'name');
  return [
    ...(name === `${plural}.${group}`
      ? []
      : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...groupIssues(group),
    ...scopeIssues(stringAt(spec, 'scope')),
    ...versionIssues(spec),
    ...columnIssues(objectsAt(spec, 'versions')),
    ...nameIssues(names),
    ...schemaIssues(objectsAt(spec, 'versions'), objectsAt(objectAt(old, 'spec'), 'versions')),
    ...conversionIssues(spec),
    ...approvalIssues(crd, group),
  ];
}

/** The changes that an update of an established CustomResourceDefinition may not make. */
export function definitionUpdateIssues(crd: JsonObject, old: JsonObject): FieldIssue[] {
  const [spec, before] = [objectAt(crd, 'spec'), objectAt(old, 'spec')];
  // An unchanged spec was checked before.
  if (deepEqual(spec, before)) return [];
  const issues = definitionIssues(crd, old);
  for (const field of ['group', 'scope']) {
    if (!deepEqual(spec?.[field], before?.[field])) issues.push(immutableField(`spec.${field}`, spec?.[field]));
  }
  for (const field of ['plural', 'kind']) {
    const value = objectAt(spec, 'names')?.[field];
    if (!deepEqual(value, objectAt(before, 'names')?.[field]))
      issues.push(immutableField(`spec.names.${field}`, value));
  }
  const versions = objectsAt(spec, 'versions').map((version) => stringAt(version, 'name'));
  stringsAt(objectAt(old, 'status'), 'storedVersions').forEach((stored, index) => {
    if (versions.includes(stored)) return;
    const detail = `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
    issues.push(invalidValue(`status.storedVersions[${index}]`, stored, detail));
  });
  return issues;
}

function groupIssues(group: string): FieldIssue[] {
  const path = 'spec.group';
  if (group === '') return [requiredValue(path)];
  const faults = subdomainFaults(group);
  if (faults.length > 0) return [invalidValue(path, group, faults.join(','))];
  return group.includes('.') ? [] : [invalidValue(path, group, 'should be a domain with at least one dot')];
}

function scopeIssues(scope: string): FieldIssue[] {
  if (scope === '') return [requiredValue('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function versionIssues(spec: JsonObject | undefined): FieldIssue[] {
  const versions = objectsAt(spec, 'versions');
  const names = versions.map((version) => stringAt(version, 'name'));
  const issues = versions.flatMap((version, index) => {
    const name = stringAt(version, 'name');
    const faults = label1035Faults(name);
    return faults.length === 0 ? [] : [invalidValue(`spec.versions[${index}].name`, name, faults.join(','))];
  });
  if (new Set(names).size < names.length) {
    issues.push(invalidValue('spec.versions', [...versions], 'must contain unique version names'));
  }
  if (versions.filter((version) => version.storage === true).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    issues.push(invalidValue('spec.versions', [...versions], detail));
  }
  return issues;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

/** An error that the columns of all versions share is reported once, as for schemas. */
function columnIssues(versions: readonly JsonObject[]): FieldIssue[] {
  const columns = versions.map((version) => objectsAt(version, 'additionalPrinterColumns'));
  const [first = []] = columns;
  const shared = columns.every((each) => deepEqual([...each], [...first]));
  if (shared) return columnIssuesOf(first, 'spec.additionalPrinterColumns');
  return columns.flatMap((each, index) => columnIssuesOf(each, `spec.versions[${index}].additionalPrinterColumns`));
}

function columnIssuesOf(columns: readonly JsonObject[], path: string): FieldIssue[] {
  return columns.flatMap((column, index) => {
    const at = `${path}[${index}]`;
    const type = stringAt(column, 'type');
    const jsonPath = stringAt(column, 'jsonPath');
    return [
      ...(stringAt(column, 'name') === '' ? [requiredValue(`${at}.name`)] : []),
      ...(columnTypes.includes(type)
        ? []
        : [invalidValue(`${at}.type`, type, `must be one of ${columnTypes.join(',')}`)]),
      ...(jsonPath === '' ? [requiredValue(`${at}.JSONPath`)] : jsonPathIssues(`${at}.JSONPath`, jsonPath)),
    ];
  });
}

function jsonPathIssues(path: string, jsonPath: string): FieldIssue[] {
  if (!jsonPath.startsWith('.')) return [invalidValue(path, jsonPath, 'must be a simple json path starting with .')];
  try {
    compileJsonPath(jsonPath);
    return [];
  } catch (error) {
    return [invalidValue(path, jsonPath, error instanceof Error ? error.message : String(error))];
  }
}

function nameIssues(names: JsonObject | undefined): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    const name = stringAt(names, field);
    const path = `spec.names.${field}`;
    if (name === '') {
      issues.push(requiredValue(path));
      continue;
    }
    const mixedCase = field === 'kind' || field === 'listKind';
    const faults = label1035Faults(mixedCase ? name.toLowerCase() : name);
    if (faults.length === 0) continue;
    const preface = mixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    issues.push(invalidValue(path, name, preface + faults.join(',')));
  }
  stringsAt(names, 'shortNames').forEach((shortName, index) => {
    const faults = label1035Faults(shortName);
    if (faults.length > 0) issues.push(invalidValue(`spec.names.shortNames[${index}]`, shortName, faults.join(',')));
  });
  if (stringAt(names, 'kind') !== '' && stringAt(names, 'kind') === stringAt(names, 'listKind')) {
    const detail = 'kind and listKind may not be the same';
    issues.push(invalidValue('spec.names.listKind', stringAt(names, 'listKind'), detail));
  }
  return issues;
}

/** API groups under Kubernetes' own domains need the annotation of an approval. */
function approvalIssues(crd: JsonObject, group: string): FieldIssue[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const annotation = 'api-approved.kubernetes.io';
  if (stringAt(objectAt(objectAt(crd, 'metadata'), 'annotations'), annotation) !== '') return [];
  const detail = `protected groups must have approval annotation "${annotation}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [requiredValue(`metadata.annotations[${annotation}]`, detail)];
}

function conversionIssues(spec: JsonObject | undefined): FieldIssue[] {
  const strategy = stringAt(objectAt(spec, 'conversion'), 'strategy');
  const issues: FieldIssue[] = [];
  if (strategy !== '' && strategy !== 'None') {
    issues.push({
      ...notSupported('spec.conversion.strategy', strategy, ['None']),
      message: `Unsupported value: ${JSON.stringify(strategy)}: the embedded API server converts by the strategy None only`,
    });
  }
  if (spec?.preserveUnknownFields === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    issues.push(invalidValue('spec.preserveUnknownFields', true, detail));
  }
  return issues;
}
