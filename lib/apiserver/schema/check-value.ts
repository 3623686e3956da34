import { deepEqual, isObject, type JsonObject, type JsonValue, jsonText } from '../json.ts';
import { numberIssues } from './check-number.ts';
import type { Checks } from './checks.ts';
import { findOld, type OldItems } from './correlate.ts';
import { hasFormat } from './formats.ts';
import { invalid, NO_FIELD, notSupported, required, type SchemaIssue, tooLong, tooMany, typeInvalid } from './issue.ts';
import { at, type IssueCollector, within } from './issue-collector.ts';

/**
 * Checks a value against a schema and collects the errors, in the words and order of the real server's validator
 * (k8s.io/kube-openapi/pkg/validation/validate). A value that equals its old value is not checked again (ratcheting),
 * if the two can be matched: members by name, items of list maps by key.
 */
export function checkValue(
  checks: Checks,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  found: IssueCollector,
): void {
  if (value === null) {
    checkNull(checks, path, found);
    return;
  }
  const type = jsonType(value);
  checkType(checks, value, type, path, found);
  checkJunctors(checks, value, path, found);
  if (typeof value === 'string') {
    checkText(checks, value, path, found);
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    for (const issue of numberIssues(checks, value, path)) found.issues.push(issue);
    found.matches += 2;
  } else if (Array.isArray(value)) {
    checkItems(checks, value, old, path, found);
  }
  checkEnum(checks, value, path, found);
  if (isObject(value)) checkMembers(checks, value, old, path, found);
  found.matches += 1;
}

function jsonType(value: JsonValue): string {
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

function checkNull(checks: Checks, path: string, found: IssueCollector): void {
  if (checks.types.length > 0 && !checks.nullable) {
    found.issues.push(wrongType(path, checks.types.join(','), 'null'));
  } else {
    found.matches += 1;
  }
  checkEnum(checks, null, path, found);
}

function checkType(checks: Checks, value: JsonValue, type: string, path: string, found: IssueCollector): void {
  const { types, format } = checks;
  if (types.length === 0 && format === '') return;
  found.matches += 1;
  const numeric = types.includes('number') || types.includes('integer');
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  const composite = typeof value === 'string' || Array.isArray(value);
  if (!composite && format !== '' && !fits) {
    found.issues.push(wrongType(path, format, formatOfType(type)));
  } else if (!(composite && format !== '' && !numeric) && !fits) {
    found.issues.push(wrongType(path, types.join(','), type));
  } else {
    found.matches += 1;
  }
}

/** The format that kube-openapi gives a decoded value. Messages show it in place of the type. */
function formatOfType(type: string): string {
  if (type === 'integer') return 'int64';
  return type === 'number' ? 'float64' : '';
}

function wrongType(path: string, expected: string, actual: string): SchemaIssue {
  return typeInvalid(shown(path), actual, `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`);
}

function checkText(checks: Checks, value: string, path: string, found: IssueCollector): void {
  const { maxLength, minLength, pattern, format } = checks;
  found.matches += 1;
  const length = maxLength === undefined && minLength === undefined ? 0 : codePoints(value);
  if (maxLength !== undefined && length > maxLength) {
    found.issues.push(tooLong(shown(path), maxLength));
  } else if (minLength !== undefined && length < minLength) {
    found.issues.push(invalid(shown(path), value, `${path} in body should be at least ${minLength} chars long`));
  } else if (pattern !== undefined && !pattern.expression.test(value)) {
    found.issues.push(invalid(shown(path), value, `${path} in body should match '${pattern.source}'`));
  }
  if (format === '') return;
  found.matches += 1;
  if (!hasFormat(value, format)) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    found.issues.push(typeInvalid(shown(path), value, detail));
  }
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    // A pair of surrogates counts as one character.
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function checkEnum(checks: Checks, value: JsonValue, path: string, found: IssueCollector): void {
  if (checks.enum.length > 0 && !checks.enum.some((permitted) => deepEqual(permitted, value))) {
    const names = checks.enum.map((each) => (typeof each === 'string' ? each : jsonText(each)));
    found.issues.push(notSupported(shown(path), value, names));
  }
  if (value !== null) found.matches += 1;
}

function checkItems(
  checks: Checks,
  value: readonly JsonValue[],
  old: JsonValue | undefined,
  path: string,
  found: IssueCollector,
): void {
  const { items, minItems, maxItems } = checks;
  if (items !== undefined) {
    const oldItems: OldItems = { list: old, keys: checks.listKeys };
    value.forEach((item, index) => {
      const before = findOld(oldItems, item);
      if (before !== undefined && deepEqual(before, item)) found.matches += 1;
      else checkValue(items, item, before, within(path, index), found);
    });
  }
  if (minItems !== undefined && value.length < minItems) {
    found.issues.push(invalid(shown(path), value.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    found.issues.push(tooMany(shown(path), value.length, maxItems));
  }
  found.matches += 2;
}

function checkMembers(
  checks: Checks,
  value: JsonObject,
  old: JsonValue | undefined,
  path: string,
  found: IssueCollector,
): void {
  const { minProperties, maxProperties, values } = checks;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    found.issues.push(invalid(shown(path), names.length, detail));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    found.issues.push(tooMany(shown(path), names.length, maxProperties));
  }
  for (const name of names) {
    const member = value[name] ?? null;
    const declared = checks.properties.get(name);
    const below = declared ?? values;
    if (below === false) {
      found.issues.push(invalid(shown(path), name, `${path}.${name} in body is a forbidden property`));
    } else if (below !== undefined) {
      const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      if (before !== undefined && deepEqual(before, member)) found.matches += 1;
      else checkValue(below, member, before, at(path, name), found);
    }
  }
  for (const name of checks.required) {
    if (!Object.hasOwn(value, name)) found.issues.push(required(at(path, name)));
  }
  found.matches += 1;
}

function checkJunctors(checks: Checks, value: JsonValue, path: string, found: IssueCollector): void {
  found.matches += 2;
  if (checks.anyOf.length > 0) checkAnyOf(checks.anyOf, value, path, found);
  if (checks.oneOf.length > 0) checkOneOf(checks.oneOf, value, path, found);
  if (checks.allOf.length > 0) checkAllOf(checks.allOf, value, path, found);
  if (checks.not !== undefined && attempt(checks.not, value, path).issues.length === 0) {
    found.issues.push(general(`${JSON.stringify(path)} must not validate the schema (not)`));
  }
}

function attempt(checks: Checks, value: JsonValue, path: string): IssueCollector {
  const found: IssueCollector = { issues: [], matches: 0 };
  checkValue(checks, value, undefined, path, found);
  return found;
}

function merge(into: IssueCollector, from: IssueCollector | undefined): void {
  if (from === undefined) return;
  into.issues.push(...from.issues);
  into.matches += from.matches;
}

/** When several alternatives fail, the one with the most matches probably is the one that the author meant. */
function closest(attempts: readonly IssueCollector[]): IssueCollector | undefined {
  return attempts.reduce<IssueCollector | undefined>(
    (best, each) => (best === undefined || each.matches > best.matches ? each : best),
    undefined,
  );
}

function checkAnyOf(alternatives: readonly Checks[], value: JsonValue, path: string, found: IssueCollector): void {
  const failures: IssueCollector[] = [];
  for (const alternative of alternatives) {
    const result = attempt(alternative, value, path);
    if (result.issues.length === 0) {
      merge(found, result);
      return;
    }
    failures.push(result);
  }
  found.issues.push(general(`${JSON.stringify(path)} must validate at least one schema (anyOf)`));
  merge(found, closest(failures));
}

function checkOneOf(alternatives: readonly Checks[], value: JsonValue, path: string, found: IssueCollector): void {
  const results = alternatives.map((alternative) => attempt(alternative, value, path));
  const valid = results.filter((result) => result.issues.length === 0);
  if (valid.length === 1) {
    merge(found, valid[0]);
    return;
  }
  const outcome = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  found.issues.push(general(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${outcome}`));
  if (valid.length === 0) merge(found, closest(results));
}

function checkAllOf(demands: readonly Checks[], value: JsonValue, path: string, found: IssueCollector): void {
  const results = demands.map((demand) => attempt(demand, value, path));
  for (const result of results) merge(found, result);
  const valid = results.filter((result) => result.issues.length === 0).length;
  if (valid === demands.length) return;
  found.issues.push(
    general(`${JSON.stringify(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`),
  );
}

/** The real server reports errors of allOf, anyOf, oneOf and not without a field. */
function general(detail: string): SchemaIssue {
  return invalid(NO_FIELD, '', detail);
}

function shown(path: string): string {
  return path === '' ? NO_FIELD : path;
}
