import { type JsonObject, objectAt, objectsAt, stringAt } from '../json.ts';
import { compileSchema } from '../schema/schema.ts';
import { RULE_COST_LIMIT, SCHEMA_COST_LIMIT } from './schema-issues.ts';

/** The highest cost of the rules of a version, and the limit of the real server, in the real server's units. */
export interface DefinitionCost {
  readonly version: string;
  readonly total: number;
  readonly limit: number;
  readonly rules: readonly {
    /** The part of an object that the rule is about, such as `spec.hosts[*]`; empty for the whole object. */
    readonly field: string;
    readonly text: string;
    readonly cost: number;
    readonly limit: number;
    /** Bounds that the schema lacks, such as `spec.hosts (maxItems)`. */
    readonly missing: readonly string[];
  }[];
}

/** @throws SchemaError for a schema that is not valid for another reason. */
export function definitionCosts(crd: JsonObject): DefinitionCost[] {
  return objectsAt(objectAt(crd, 'spec'), 'versions').map((version) => {
    const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') ?? { type: 'object' };
    const { costs } = compileSchema(schema);
    return {
      version: stringAt(version, 'name'),
      total: costs.reduce((sum, { cost }) => sum + cost, 0),
      limit: SCHEMA_COST_LIMIT,
      rules: costs.map(({ field, text, cost, missing }) => ({
        field,
        text,
        cost,
        limit: RULE_COST_LIMIT,
        missing: missing.map((each) => `${each.field} (${each.keyword})`),
      })),
    };
  });
}
