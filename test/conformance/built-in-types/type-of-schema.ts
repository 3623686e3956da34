/** What the OpenAPI documents of Kubernetes have of a JSON schema. `x-kubernetes-*`, formats and descriptions say no type. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly default?: unknown;
}

/** More words than these are no choice that a type helps with: the signals of a container are 65. */
const MAX_WORDS = 16;

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
};

/**
 * The TypeScript type of a schema, without line breaks.
 * @param nameOf the name of a schema that is referred to, by its id in the document.
 * @throws Error for a schema that has properties of its own, or a construct that no document of Kubernetes had so far.
 */
export function typeOfSchema(schema: Schema, nameOf: (id: string) => string): string {
  const typeOf = (inner: Schema) => typeOfSchema(inner, nameOf);
  const { $ref, allOf, oneOf, type = '', enum: words, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return nameOf(idOf($ref));
  if (allOf?.length === 1 && allOf[0] !== undefined) return typeOf(allOf[0]);
  if (oneOf !== undefined) return [...new Set(oneOf.map(typeOf))].sort().join(' | ');
  if (words !== undefined && words.length <= MAX_WORDS) return words.map((word) => `'${word}'`).join(' | ');
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar;
  if (type === 'array' && items !== undefined) return arrayOf(typeOf(items));
  if (type === 'object' && properties === undefined) {
    return `Record<string, ${additionalProperties === undefined ? 'unknown' : typeOf(additionalProperties)}>`;
  }
  throw new Error(`this schema has no type here; teach typeOfSchema its construct: ${JSON.stringify(schema)}`);
}

/** The ids of all schemas that one refers to, in the order in which they stand in it. */
export function referencesOf(schema: Schema): string[] {
  const { $ref, allOf = [], oneOf = [], items, properties = {}, additionalProperties } = schema;
  const inner = [...allOf, ...oneOf, items, additionalProperties, ...Object.values(properties)];
  const found = inner.flatMap((each) => (each === undefined ? [] : referencesOf(each)));
  return $ref === undefined ? found : [idOf($ref), ...found];
}

function arrayOf(element: string): string {
  return element.includes(' | ') ? `(${element})[]` : `${element}[]`;
}

function idOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
