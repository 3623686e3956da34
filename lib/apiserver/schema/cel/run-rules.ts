import { Optional } from '@marcbachmann/cel-js';
import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { findOld } from '../correlate.ts';
import { duplicate, forbidden, invalid, NO_FIELD, OMITTED, required, type SchemaIssue } from '../issue.ts';
import type { RuleTree } from './compile-rules.ts';
import { runtimeFault } from './faults.ts';
import type { Bindings, Rule } from './rule.ts';

const MESSAGE_LIMIT_BYTES = 5 * 1024;

interface RuleRun {
  readonly issues: SchemaIssue[];
}

/**
 * Evaluates the rules of a tree on an object that satisfies the rest of its schema. A value that equals its old value
 * is not checked again, except by rules that compare with the old value. Such a rule is skipped when there is no old
 * value.
 */
export function runRules(tree: RuleTree, object: JsonObject, old: JsonObject | undefined): readonly SchemaIssue[] {
  const run: RuleRun = { issues: [] };
  visit(tree, object, old, '', false, run);
  return run.issues;
}

function visit(
  tree: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  unchanged: boolean,
  run: RuleRun,
): void {
  if (value === null || (unchanged && !tree.comparesWithOld)) return;
  if (tree.rules.length > 0) evaluate(tree, value, old ?? undefined, path, unchanged, run);
  if (Array.isArray(value)) {
    const { items } = tree;
    if (items === undefined) return;
    const oldItems = { list: old, keys: tree.listKeys };
    value.forEach((item, index) => {
      descend(items, item, findOld(oldItems, item), `${path}[${index}]`, unchanged, run);
    });
  } else if (isObject(value)) {
    visitMembers(tree, value, isObject(old) ? old : undefined, path, unchanged, run);
  }
}

function visitMembers(
  tree: RuleTree,
  value: JsonObject,
  old: JsonObject | undefined,
  path: string,
  unchanged: boolean,
  run: RuleRun,
): void {
  for (const [name, property] of tree.properties) {
    if (!Object.hasOwn(value, name)) continue;
    descend(property, value[name] ?? null, old?.[name], path === '' ? name : `${path}.${name}`, unchanged, run);
  }
  const { values } = tree;
  if (values === undefined) return;
  for (const name of Object.keys(value)) {
    descend(values, value[name] ?? null, old?.[name], `${path}[${name}]`, unchanged, run);
  }
}

function descend(
  tree: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  unchanged: boolean,
  run: RuleRun,
): void {
  visit(tree, value, old, path, unchanged || (old !== undefined && deepEqual(old, value)), run);
}

function evaluate(
  tree: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  unchanged: boolean,
  run: RuleRun,
): void {
  const self = tree.type.toCel(value);
  const oldSelf = old === undefined || !tree.comparesWithOld ? undefined : tree.type.toCel(old);
  const field = path === '' ? NO_FIELD : path;
  for (const rule of tree.rules) {
    if (unchanged && !rule.usesOldSelf) continue;
    if (rule.usesOldSelf && old === undefined && !rule.optionalOldSelf) continue;
    const bindings = { self, oldSelf: rule.optionalOldSelf ? Optional.of(oldSelf) : oldSelf };
    try {
      if (rule.program(bindings) !== true) run.issues.push(broken(rule, bindings, value, path));
    } catch (error) {
      run.issues.push(invalid(field, tree.schemaType, evaluationDetail(error, rule)));
    }
  }
}

function evaluationDetail(error: unknown, rule: Rule): string {
  const fault = runtimeFault(error);
  if (!fault.startsWith('no such overload')) return `${fault} evaluating rule: ${rule.label}`;
  const why = 'call arguments did not match a supported operator, function or macro signature for rule';
  return `'${fault}': ${why}: ${rule.label}`;
}

function broken(rule: Rule, bindings: Bindings, value: JsonValue, path: string): SchemaIssue {
  const detail = messageOf(rule, bindings) ?? rule.detail;
  const shown = typeof value === 'object' && value !== null ? OMITTED : value;
  const field = [path, rule.fieldPath].filter((part) => part !== '').join('.') || NO_FIELD;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, shown);
    default:
      return invalid(field, shown, detail);
  }
}

/** The text of the messageExpression; undefined when it fails or returns no text, several lines, or too much. */
function messageOf(rule: Rule, bindings: Bindings): string | undefined {
  if (rule.messageProgram === undefined) return undefined;
  try {
    const text = rule.messageProgram(bindings);
    if (typeof text !== 'string') return undefined;
    const trimmed = text.trim();
    return trimmed === '' || trimmed.includes('\n') || Buffer.byteLength(trimmed) > MESSAGE_LIMIT_BYTES
      ? undefined
      : trimmed;
  } catch {
    // The real server logs this and uses the rule's message instead.
    return undefined;
  }
}
