import type { JsonObject } from '../../lib/core/kube-object.ts';
import { pluralOf } from '../../lib/kit/kind/definition-faults.ts';
import type { CustomDefinition, CustomVersion } from './custom-definition.ts';
import { noteKind } from './kind-notes.ts';
import { indented, literal, textLiteral } from './literal.ts';
import { Notes } from './notes.ts';
import { schemaText } from './schema-text.ts';
import { Writing } from './writing.ts';

/** The first line of every module. A file without it was written or taken over by a person. */
export const WRITTEN =
  '// Written by evenkeel types. Remove this line before you edit: a file that has it is replaced.';

/** Columns that every kind of evenkeel has. */
const OWN_COLUMNS = new Set(['ready', 'reason', 'age']);
/** Fields that evenkeel writes. */
const OWN_STATUS = ['conditions', 'observedGeneration'];

export interface KindModule {
  readonly text: string;
  /** One line for each difference from the definitions: where, and what. */
  readonly notes: readonly string[];
}

/** A TypeScript module that defines the kinds of CustomResourceDefinitions with `defineKind`. */
export function kindModule(definitions: readonly CustomDefinition[]): KindModule {
  const imports = new Set<string>();
  const notes: string[] = [];
  const names = new Set<string>();
  const kinds = definitions.map((definition) => {
    const own = new Notes();
    const text = kindText(definition, freeName(constantOf(definition), names), own, imports);
    notes.push(...own.lines().map((line) => `${definition.metadata.name} ${line}`));
    return text;
  });
  const evenkeel = ['defineKind', ...[...imports].sort(), 'type ObjectOf'];
  const text = [
    WRITTEN,
    ...notes.map((note) => `// Note: ${note}`),
    `import { ${evenkeel.join(', ')} } from 'evenkeel';`,
    `import { z } from 'zod';`,
    ...kinds.map((kind) => `\n${kind}`),
    '',
  ].join('\n');
  return { text, notes };
}

/** The constants of the schemas, the kind, and the type of its objects. */
function kindText(definition: CustomDefinition, constant: string, notes: Notes, imports: Set<string>): string {
  const { group, scope, names, versions } = definition.spec;
  noteKind(definition, notes);
  const schemas = new SchemaConstants(`${constant[0]?.toLowerCase()}${constant.slice(1)}`, notes, imports);
  const ordered = [...versions].sort((one, other) => Number(other.storage) - Number(one.storage));
  const written = ordered.map((version) => ({ version, fields: schemas.of(version) }));
  const [stored, ...others] = written;
  const lines = [
    `group: ${textLiteral(group)}`,
    `version: ${textLiteral(stored?.version.name ?? '')}`,
    `kind: ${textLiteral(names.kind)}`,
    ...(names.plural === pluralOf(names.kind) ? [] : [`plural: ${textLiteral(names.plural)}`]),
    ...(scope === 'Cluster' ? [`scope: 'Cluster'`] : []),
    ...((names.shortNames ?? []).length > 0 ? [`shortNames: ${literal(names.shortNames ?? [])}`] : []),
    ...(stored?.fields ?? []),
    ...columnsOf(stored?.version),
    ...versionsOf(others),
  ];
  const kind = `export const ${constant} = defineKind({\n${lines.map((line) => `${indented(line)},\n`).join('')}});`;
  const type = `export type ${names.kind} = ObjectOf<typeof ${constant}>;`;
  return [...schemas.texts, kind, type].join('\n\n');
}

/** The schemas of a kind's versions. Versions with the same schema share a constant. */
class SchemaConstants {
  readonly texts: string[] = [];
  readonly #known = new Map<string, string>();
  readonly #name: string;
  readonly #notes: Notes;
  readonly #imports: Set<string>;

  constructor(name: string, notes: Notes, imports: Set<string>) {
    this.#name = name;
    this.#notes = notes;
    this.#imports = imports;
  }

  /** The fields `spec` and `status` of a version. */
  of({ name, storage, schema }: CustomVersion): string[] {
    const properties = (schema.openAPIV3Schema.properties ?? {}) as Record<string, JsonObject>;
    const suffix = storage ? '' : `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const { spec = { type: 'object' }, status } = properties;
    const fields = [`spec: ${this.#constant(spec, 'spec', suffix)}`];
    const own = status === undefined ? undefined : ownStatus(status);
    if (own !== undefined) fields.push(`status: ${this.#constant(own, 'status', suffix)}`);
    return fields;
  }

  #constant(schema: JsonObject, part: 'spec' | 'status', suffix: string): string {
    const mode = { notes: this.#notes, isStatus: part === 'status', imports: this.#imports };
    const path = suffix === '' ? part : `version ${suffix[0]?.toLowerCase()}${suffix.slice(1)}: ${part}`;
    const text = schemaText(schema, path, new Writing(schemaText, mode));
    const shared = this.#known.get(text);
    if (shared !== undefined) return shared;
    const name = `${this.#name}${part === 'spec' ? 'Spec' : 'Status'}${suffix}`;
    this.#known.set(text, name);
    this.texts.push(`const ${name} = ${text};`);
    return name;
  }
}

/** The controller's own fields of a status; undefined if evenkeel writes all of them. */
function ownStatus(status: JsonObject): JsonObject | undefined {
  const { default: _, properties, required, ...rest } = status;
  const own = Object.entries((properties ?? {}) as JsonObject).filter(([name]) => !OWN_STATUS.includes(name));
  const needed = ((required ?? []) as string[]).filter((name) => !OWN_STATUS.includes(name));
  const isOpen = status['x-kubernetes-preserve-unknown-fields'] === true;
  if (own.length === 0 && !isOpen) return undefined;
  return { ...rest, properties: Object.fromEntries(own), required: needed };
}

function columnsOf(version: CustomVersion | undefined): string[] {
  const columns = (version?.additionalPrinterColumns ?? []).filter(({ name }) => !OWN_COLUMNS.has(name.toLowerCase()));
  if (columns.length === 0) return [];
  const written = columns.map(({ name, type, jsonPath, priority = 0 }) => ({
    name,
    jsonPath,
    ...(type !== 'string' && { type }),
    ...(priority !== 0 && { priority }),
  }));
  return [`columns: ${literal(written)}`];
}

function versionsOf(
  versions: readonly { readonly version: CustomVersion; readonly fields: readonly string[] }[],
): string[] {
  if (versions.length === 0) return [];
  const written = versions.map(({ version: { name, served }, fields }) => {
    const parts = [`name: ${textLiteral(name)}`, ...(served ? [] : ['served: false']), ...fields];
    return `${indented(`{ ${parts.join(', ')} }`)},\n`;
  });
  return [`versions: [\n${written.join('')}]`];
}

/** The plural in the case of the kind: Websites for Website. */
function constantOf({ spec: { names } }: CustomDefinition): string {
  const { kind, plural } = names;
  let same = 0;
  while (same < kind.length && kind[same]?.toLowerCase() === plural[same]) same += 1;
  return `${kind.slice(0, same)}${plural.slice(same)}`.replaceAll(/[^A-Za-z0-9]/g, '');
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}${number}`;
  taken.add(free);
  return free;
}
