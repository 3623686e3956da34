import { clone, deepEqual, isObject, type JsonObject, type JsonValue, objectAt } from '../json.ts';
import { buildNode } from './build-node.ts';
import { compileRules } from './cel/compile-rules.ts';
import { runRules } from './cel/run-rules.ts';
import { checkValue } from './check-value.ts';
import { compileChecks } from './checks.ts';
import { invalid, NO_FIELD, type SchemaIssue } from './issue.ts';
import { propertySchemas } from './keywords.ts';
import { prune } from './prune.ts';

/** Reports defaults that have undeclared fields or do not satisfy their own schema. */
export function defaultFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults = schema.default === undefined ? [] : faultsOf(schema.default, schema, `${path}.default`);
  const items = objectAt(schema, 'items');
  return [
    ...faults,
    ...(items === undefined ? [] : defaultFaults(items, `${path}.items`)),
    ...propertySchemas(schema, path).flatMap((property) => defaultFaults(property.schema, property.path)),
  ];
}

function faultsOf(value: JsonValue, schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  if (isObject(value)) {
    const pruned = clone(value);
    prune(pruned, buildNode(schema, false));
    if (!deepEqual(pruned, value)) faults.push(invalid(path, value, 'must not have unknown fields'));
  }
  const found = { issues: [] as SchemaIssue[], matches: 0 };
  checkValue(compileChecks(schema), value, undefined, '', found);
  if (found.issues.length > 0) return [...faults, ...found.issues.map((issue) => relocated(issue, path))];
  // The default is put into an object, so that rules on scalars are found too.
  const { tree } = compileRules({ type: 'object', properties: { default: schema } }, '');
  const issues = tree === undefined ? [] : runRules(tree, { default: value }, undefined);
  return [...faults, ...issues.map((issue) => ({ ...issue, path: issue.path.replace(/^default/, () => path) }))];
}

function relocated(issue: SchemaIssue, path: string): SchemaIssue {
  return { ...issue, path: issue.path === NO_FIELD ? path : `${path}.${issue.path}` };
}
