import { definitionCosts } from '../lib/apiserver/definitions/definition-costs.ts';
import type { JsonObject } from '../lib/apiserver/json.ts';
import { SchemaError } from '../lib/apiserver/schema/schema.ts';
import type { DesiredObject } from '../lib/core/kube-object.ts';

/** The highest cost of the rules of one version of a CustomResourceDefinition, in the units of the API server. */
export interface VersionCost {
  /** Its name, such as `websites.example.com`. */
  readonly definition: string;
  readonly version: string;
  readonly total: number;
  readonly limit: number;
  readonly rules: readonly {
    /** The part of an object that the rule is about; empty for the whole object. */
    readonly field: string;
    readonly text: string;
    readonly cost: number;
    readonly limit: number;
    /** Bounds that the schema lacks, such as `spec.hosts (maxItems)`. */
    readonly missing: readonly string[];
  }[];
}

/** The embedded API server's report about the rules of definitions. It estimates costs like a real one. */
export interface DefinitionReport {
  readonly costs: readonly VersionCost[];
  /**
   * Errors, each with the name of the definition. The embedded API server lacks a few functions of CEL that a real one
   * has.
   */
  readonly faults: readonly string[];
}

export function examineDefinitions(definitions: readonly DesiredObject[]): DefinitionReport {
  const costs: VersionCost[] = [];
  const faults: string[] = [];
  for (const definition of definitions) {
    const { name } = definition.metadata;
    try {
      const found = definitionCosts(definition as unknown as JsonObject);
      costs.push(...found.map((each) => ({ definition: name, ...each })));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      faults.push(...error.message.split('\n').map((line) => `${name}: ${line}`));
    }
  }
  return { costs, faults };
}
