import type { FieldIssue } from '../api-error.ts';
import { requiredValue } from '../field-issue.ts';
import { deepEqual, type JsonObject, objectAt, stringAt } from '../json.ts';
import { forbidden } from '../schema/issue.ts';
import { compileSchema, type ExpressionCost, SchemaError } from '../schema/schema.ts';

/** The most that one rule of a definition may cost, in the units of the real server (StaticEstimatedCostLimit). */
export const RULE_COST_LIMIT = 10_000_000;
/** The most that all rules of a version may cost together (StaticEstimatedCRDCostLimit). */
export const SCHEMA_COST_LIMIT = 100_000_000;

/**
 * The errors of the schemas of a definition. An error of a schema that all versions share is reported once, because the
 * real server sees one shared schema.
 * @param old the versions before the update: an expression that is already stored may exceed the cost limit.
 */
export function schemaIssues(versions: readonly JsonObject[], old: readonly JsonObject[]): FieldIssue[] {
  const schemas = versions.map(schemaOf);
  const isStored = (index: number): boolean => {
    const before = old.find((version) => stringAt(version, 'name') === stringAt(versions[index], 'name'));
    return before !== undefined && deepEqual(schemaOf(before), schemas[index]);
  };
  const [first] = schemas;
  const shared = first !== undefined && schemas.every((schema) => deepEqual(schema, first));
  if (shared) return faultsOf(first, 'spec.validation', isStored(0));
  return schemas.flatMap((schema, index) => {
    const path = `spec.versions[${index}].schema`;
    return schema === undefined ? [requiredValue(`${path}.openAPIV3Schema`)] : faultsOf(schema, path, isStored(index));
  });
}

function schemaOf(version: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
}

function faultsOf(schema: JsonObject, path: string, isStored: boolean): FieldIssue[] {
  try {
    return costIssues(compileSchema(schema).costs, path, isStored);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }));
  }
}

function costIssues(costs: readonly ExpressionCost[], schemaPath: string, isStored: boolean): FieldIssue[] {
  const at = ({ path }: ExpressionCost): string => `${schemaPath}.${path}`;
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  const tooMuch = isStored ? [] : costs.filter(({ cost }) => cost > RULE_COST_LIMIT);
  return [
    ...tooMuch.map((each) =>
      forbidden(at(each), overBudget(`estimated ${each.keyword} cost`, each.cost, RULE_COST_LIMIT)),
    ),
    ...(total > SCHEMA_COST_LIMIT ? totalIssues(costs, total, at, `${schemaPath}.openAPIV3Schema`) : []),
  ];
}

/**
 * The real server names the four most expensive expressions, if each one takes at least a hundredth of the limit for
 * all.
 */
function totalIssues(
  costs: readonly ExpressionCost[],
  total: number,
  at: (each: ExpressionCost) => string,
  schemaPath: string,
): FieldIssue[] {
  const most = costs.filter(({ cost }) => cost >= SCHEMA_COST_LIMIT / 100).sort((one, other) => other.cost - one.cost);
  const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...most.slice(0, 4).map((each) => forbidden(at(each), contributed)),
    forbidden(schemaPath, overBudget(name, total, SCHEMA_COST_LIMIT)),
  ];
}

function overBudget(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
