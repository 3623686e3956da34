import type { JsonObject } from '../json.ts';
import { buildNode } from './build-node.ts';
import { type CompiledRules, compileRules, type ExpressionCost } from './cel/compile-rules.ts';
import { runRules } from './cel/run-rules.ts';
import { checkValue } from './check-value.ts';
import { compileChecks } from './checks.ts';
import { defaultFaults } from './default-faults.ts';
import { applyDefaults, fillDefaults } from './default-values.ts';
import { embeddedObjectIssues, hasEmbeddedObjects } from './embedded-objects.ts';
import { invalid, issueText, NO_FIELD, type SchemaIssue } from './issue.ts';
import type { IssueCollector } from './issue-collector.ts';
import { shapeFaults } from './keywords.ts';
import { duplicateItems, hasKeyedLists } from './list-keys.ts';
import type { SchemaNode } from './node.ts';
import { openApiFaults } from './openapi-faults.ts';
import { prune, unknownFields } from './prune.ts';
import { structuralFaults } from './structural-faults.ts';

export type { ExpressionCost } from './cel/compile-rules.ts';
export type { SchemaIssue } from './issue.ts';
export type { SchemaNode } from './node.ts';

/** The compiled schema of a CRD version, which checks objects. It keeps no state between calls. */
export interface CompiledSchema {
  /** Removes, in place, what the schema does not declare. apiVersion, kind and metadata of the object stay. */
  prune(object: JsonObject): void;
  /** The paths that pruning would remove, sorted. */
  unknownFields(object: JsonObject): string[];
  /** Fills in defaults, and removes nulls that are not allowed, in place. */
  applyDefaults(object: JsonObject): void;
  /**
   * Fills in defaults and keeps nulls, in place: for the result of a server-side apply, whose nulls the real server
   * keeps.
   */
  fillDefaults(object: JsonObject): void;
  /** All errors of a pruned and defaulted object. With `old`, a part that did not change is not checked again. */
  validate(object: JsonObject, old?: JsonObject): SchemaIssue[];
  /** The structure, for server-side apply. */
  readonly node: SchemaNode;
  /** The highest cost of each rule. A definition that costs too much is refused; one that is already served stays. */
  readonly costs: readonly ExpressionCost[];
}

/** A schema that the real API server would refuse; `faults` has every reason, with paths from `openAPIV3Schema` on. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly faults: readonly SchemaIssue[];

  constructor(faults: readonly SchemaIssue[]) {
    super(faults.map(issueText).join('\n'));
    this.faults = faults;
  }
}

/** After one of these errors rules are not run: the value may not have the type that they expect. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const RULES_SKIPPED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The schemas that were compiled last, by their text. A CRD is checked when it is created, and served after that. */
const COMPILED = new Map<string, CompiledSchema>();
const MAX_COMPILED = 64;

/**
 * Compiles the `openAPIV3Schema` of a CRD version.
 * @throws SchemaError with every error when the schema is not structural, uses something that apiextensions.k8s.io/v1
 * refuses, has a rule that does not compile, or has a default that does not satisfy it
 */
export function compileSchema(openAPIV3Schema: JsonObject): CompiledSchema {
  const text = JSON.stringify(openAPIV3Schema);
  const known = COMPILED.get(text);
  if (known !== undefined) return known;
  // A copy: the caller may change its own.
  const made = compile(JSON.parse(text) as JsonObject);
  COMPILED.set(text, made);
  const [oldest] = COMPILED.keys();
  if (COMPILED.size > MAX_COMPILED && oldest !== undefined) COMPILED.delete(oldest);
  return made;
}

function compile(openAPIV3Schema: JsonObject): CompiledSchema {
  const path = 'openAPIV3Schema';
  refuse(shapeFaults(openAPIV3Schema, path));
  refuse([...openApiFaults(openAPIV3Schema, path), ...structuralFaults(openAPIV3Schema, path)]);
  const rules = compileRules(openAPIV3Schema, path);
  refuse(rules.faults);
  refuse(defaultFaults(openAPIV3Schema, path));
  return compiled(openAPIV3Schema, rules);
}

function refuse(faults: readonly SchemaIssue[]): void {
  if (faults.length > 0) throw new SchemaError(faults);
}

function compiled(schema: JsonObject, rules: CompiledRules): CompiledSchema {
  const node = buildNode(schema, true);
  const checks = compileChecks(schema);
  // Without object metadata, because the schema does not describe its lists.
  const structure = buildNode(schema, false);
  const keyedLists = hasKeyedLists(structure);
  const embeddedObjects = hasEmbeddedObjects(node);
  return {
    node,
    costs: rules.costs,
    prune: (object) => void prune(object, node),
    unknownFields: (object) => unknownFields(object, node),
    applyDefaults: (object) => applyDefaults(object, node),
    fillDefaults: (object) => fillDefaults(object, node),
    validate(object, old) {
      const found: IssueCollector = { issues: [], matches: 0 };
      checkValue(checks, object, old, '', found);
      const issues = unique(found.issues);
      if (embeddedObjects) issues.push(...embeddedObjectIssues(object, node));
      // A list that already had the error may keep it: the real server ratchets this check for the object as a whole.
      if (keyedLists && (old === undefined || duplicateItems(old, structure).length === 0)) {
        issues.push(...duplicateItems(object, structure));
      }
      if (rules.tree === undefined) return issues;
      if (issues.some((issue) => BLOCKING.has(issue.reason))) {
        issues.push(invalid(NO_FIELD, null, RULES_SKIPPED));
      } else {
        issues.push(...runRules(rules.tree, object, old));
      }
      return issues;
    },
  };
}

/** Several alternatives often find the same error; it is reported once. */
function unique(issues: readonly SchemaIssue[]): SchemaIssue[] {
  if (issues.length < 2) return [...issues];
  return [...new Map(issues.map((issue) => [issueText(issue), issue])).values()];
}
