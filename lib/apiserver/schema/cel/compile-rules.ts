import { deepEqual, isObject, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../../json.ts';
import { asWritten, invalid, type SchemaIssue, type Shown } from '../issue.ts';
import { propertySchemas } from '../keywords.ts';
import { declaredSize, type MissingBound, occurrencesInRequest } from './cost/declared-size.ts';
import { ruleCost } from './cost/rule-cost.ts';
import { capped } from './cost/size-range.ts';
import { DeclaredTypes } from './declared-types.ts';
import { KUBERNETES_ENVIRONMENT } from './environment.ts';
import type { Ast } from './evaluator.ts';
import { normalizeFieldPath } from './field-path.ts';
import { compileRule, type Rule, RuleError } from './rule.ts';
import { ruleFaults } from './rule-faults.ts';
import type { CelType } from './struct.ts';

/** The rules of a schema and of the schemas below it. Parts without rules are absent. */
export interface RuleTree {
  readonly rules: readonly Rule[];
  readonly type: CelType;
  /** The type of the schema. Messages about the rule itself show it in place of the value. */
  readonly schemaType: string;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly values: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** The keys that match old items of the list with new ones; empty when items cannot be matched. */
  readonly listKeys: readonly string[];
  /** Whether this schema or one below it has a transition rule. If so, an unchanged value must be checked too. */
  readonly comparesWithOld: boolean;
}

export interface CompiledRules {
  /** Undefined when the schema has no rules. */
  readonly tree: RuleTree | undefined;
  readonly faults: readonly SchemaIssue[];
  readonly costs: readonly ExpressionCost[];
}

/** The highest cost of an expression on one object, in the units of the real server. */
export interface ExpressionCost {
  /** The path of the expression, from `openAPIV3Schema` on. */
  readonly path: string;
  readonly keyword: 'rule' | 'messageExpression';
  readonly text: string;
  /** The part of an object that the rule is about, such as `spec.hosts[*]`; empty for the whole object. */
  readonly field: string;
  readonly cost: number;
  /** Bounds that the schema lacks. A value without a bound counts as if it were as long as the largest request. */
  readonly missing: readonly MissingBound[];
}

/** Compiles all rules of a schema that has no other errors. */
export function compileRules(schema: JsonObject, path: string): CompiledRules {
  if (!hasRules(schema)) return { tree: undefined, faults: [], costs: [] };
  const types = new DeclaredTypes(KUBERNETES_ENVIRONMENT.clone());
  // All types are declared first: an environment accepts no more types after it was cloned for a rule.
  declareTypes(schema, types, true);
  const found: Found = { faults: [], costs: [] };
  const whole = { path, root: true, uncorrelated: undefined, field: '', times: 1, unbounded: [] };
  return { tree: buildTree(schema, whole, types, found), ...found };
}

/** The type of a part that has no rules itself, but has rules below it. */
const UNEXPOSED: CelType = { name: 'dyn', toCel: (value) => value, equal: deepEqual };

interface Found {
  readonly faults: SchemaIssue[];
  readonly costs: ExpressionCost[];
}

interface Place {
  readonly path: string;
  /** A path in the object, such as `spec.hosts[*]`. */
  readonly field: string;
  readonly root: boolean;
  /** How often the schema may apply to one object; undefined when a list or map above it has no bound. */
  readonly times: number | undefined;
  readonly unbounded: readonly MissingBound[];
  /** The list above the schema whose new items cannot be matched with old ones. */
  readonly uncorrelated: string | undefined;
}

function rulesOf(schema: JsonObject): readonly JsonObject[] {
  return objectsAt(schema, 'x-kubernetes-validations');
}

function below(schema: JsonObject): readonly JsonObject[] {
  const nested = [schema.items, schema.additionalProperties].filter(isObject);
  return [...nested, ...propertySchemas(schema, '').map((property) => property.schema)];
}

function hasRules(schema: JsonObject): boolean {
  return rulesOf(schema).length > 0 || below(schema).some(hasRules);
}

function declareTypes(schema: JsonObject, types: DeclaredTypes, root: boolean): void {
  if (rulesOf(schema).length > 0) types.of(schema, root);
  for (const each of below(schema)) declareTypes(each, types, false);
}

function buildTree(schema: JsonObject, place: Place, types: DeclaredTypes, found: Found): RuleTree | undefined {
  const { path, uncorrelated, field } = place;
  const child = (
    member: JsonObject | undefined,
    inSchema: string,
    inObject: string,
    list?: string,
  ): RuleTree | undefined => {
    if (member === undefined) return undefined;
    const repeated = timesBelow(schema, place);
    const at = { path: inSchema, field: inObject, root: false, uncorrelated: uncorrelated ?? list, ...repeated };
    return buildTree(member, at, types, found);
  };

  const properties = new Map<string, RuleTree>();
  for (const property of propertySchemas(schema, path)) {
    const inObject = field === '' ? property.name : `${field}.${property.name}`;
    const tree = child(property.schema, property.path, inObject);
    if (tree !== undefined) properties.set(property.name, tree);
  }
  const keyed = schema['x-kubernetes-list-type'] === 'map';
  const items = child(objectAt(schema, 'items'), `${path}.items`, `${field}[*]`, keyed ? undefined : path);
  const additional = schema.additionalProperties;
  const values = child(isObject(additional) ? additional : undefined, `${path}.additionalProperties`, `${field}[*]`);
  const rules = rulesOf(schema).length === 0 ? [] : nodeRules(schema, place, types, found);

  const parts = [items, values, ...properties.values()].filter((each) => each !== undefined);
  if (rules.length === 0 && parts.length === 0) return undefined;
  return {
    rules,
    type: (rules.length === 0 ? undefined : types.of(schema, place.root)) ?? UNEXPOSED,
    schemaType: stringAt(schema, 'type'),
    properties,
    values,
    items,
    listKeys: keyed ? stringsAt(schema, 'x-kubernetes-list-map-keys') : [],
    comparesWithOld: rules.some((rule) => rule.usesOldSelf) || parts.some((each) => each.comparesWithOld),
  };
}

/** How often the schemas below this one may apply to one object (Kubernetes, `extractMaxElements`). */
function timesBelow(schema: JsonObject, { times, unbounded, field }: Place): Pick<Place, 'times' | 'unbounded'> {
  const type = stringAt(schema, 'type');
  const isMap = type === 'object' && isObject(schema.additionalProperties);
  if (type !== 'array' && !isMap) return { times, unbounded };
  const keyword = isMap ? 'maxProperties' : 'maxItems';
  const most = schema[keyword];
  if (typeof most !== 'number') return { times: undefined, unbounded: [...unbounded, { field, keyword }] };
  return { times: times === undefined ? undefined : capped(times * Math.max(0, most)), unbounded };
}

/** The cost of a rule counts for each place that it may apply to. The cost of its message counts once. */
function costsOf(rule: Rule, source: JsonObject, schema: JsonObject, place: Place, path: string): ExpressionCost[] {
  const { field, times, unbounded, root } = place;
  const size = declaredSize(schema, field, root);
  if (size === undefined) return [];
  const costOf = (
    keyword: ExpressionCost['keyword'],
    expression: Ast,
    repeated: number,
    more: readonly MissingBound[],
  ) => {
    const { cost, missing } = ruleCost(expression, size);
    return {
      path: `${path}.${keyword}`,
      keyword,
      text: stringAt(source, keyword).trim(),
      field,
      cost: capped(cost * repeated),
      missing: [...more, ...missing],
    };
  };
  const applied = costOf('rule', rule.expression, times ?? occurrencesInRequest(size), unbounded);
  const told = rule.messageExpression;
  return told === undefined ? [applied] : [applied, costOf('messageExpression', told, 1, [])];
}

function nodeRules(schema: JsonObject, place: Place, types: DeclaredTypes, found: Found): readonly Rule[] {
  const { faults, costs } = found;
  const at = (index: number): string => `${place.path}.x-kubernetes-validations[${index}]`;
  const sources = rulesOf(schema);
  const malformed = sources.flatMap((source, index) => ruleFaults(source, schema, at(index)));
  const type = types.of(schema, place.root);
  if (malformed.length > 0 || type === undefined) {
    faults.push(...malformed);
    if (type === undefined) {
      const why = 'rules cannot be used where the schema does not say what the value is';
      faults.push(invalid(`${place.path}.x-kubernetes-validations`, '', why));
    }
    return [];
  }
  const plain = types.environment.clone().registerVariable('self', type.name).registerVariable('oldSelf', type.name);
  const optional = types.environment
    .clone()
    .registerVariable('self', type.name)
    .registerVariable('oldSelf', `optional<${type.name}>`);
  return sources.flatMap((source, index) => {
    try {
      const environment = source.optionalOldSelf === true ? optional : plain;
      const fieldPath = normalizeFieldPath(stringAt(source, 'fieldPath'), schema) ?? '';
      const rule = compileRule(source, environment, fieldPath);
      faults.push(...transitionFaults(rule, source, place, at(index)));
      costs.push(...costsOf(rule, source, schema, place, at(index)));
      return [rule];
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      faults.push(invalid(`${at(index)}.${error.keyword}`, shownRule(source), error.message));
      return [];
    }
  });
}

function transitionFaults(rule: Rule, source: JsonObject, place: Place, path: string): readonly SchemaIssue[] {
  if (rule.usesOldSelf && place.uncorrelated !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
    return [invalid(`${path}.rule`, stringAt(source, 'rule'), detail)];
  }
  if (!rule.usesOldSelf && typeof source.optionalOldSelf === 'boolean') {
    const detail = 'may not be set if oldSelf is not used in rule';
    return [invalid(`${path}.optionalOldSelf`, source.optionalOldSelf, detail)];
  }
  return [];
}

/** The rule in the form in which the real server repeats it: the members of its internal type, in their order. */
function shownRule(source: JsonObject): Shown {
  return asWritten(
    JSON.stringify({
      Rule: stringAt(source, 'rule'),
      Message: stringAt(source, 'message'),
      MessageExpression: stringAt(source, 'messageExpression'),
      Reason: source.reason ?? null,
      FieldPath: stringAt(source, 'fieldPath'),
      OptionalOldSelf: source.optionalOldSelf ?? null,
    }),
  );
}
