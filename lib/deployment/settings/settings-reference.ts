import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import { fieldSchema } from '../../controllers/field-note.ts';
import type { ControllerGroup } from '../../controllers/group.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { settingsSchemaOf } from './settings-schema.ts';

const INTRODUCTION = `# Settings

One YAML file holds all settings of a deployment. \`evenkeel start --settings FILE\` reads it. In a cloud deployment the section
\`settings\` of the stage has the same fields. Every field is optional. A duration is written as \`30s\`, \`5m\` or \`1h30m\`. A
field that is not listed here is refused with its line and column.
`;
const WRITTEN_BY = '\n`node build/settings-reference.ts` writes this page from the schema; a test compares the two.\n';

/**
 * The text of docs/settings.md, or of the output of `evenkeel settings`.
 * @param groups the controller groups that exist.
 */
export function settingsReference(groups: ControllerGroups = GROUPS, as: 'page' | 'printed' = 'page'): string {
  const schema = settingsSchemaOf(groups);
  const rows: string[] = [];
  collect(schema, [], rows);
  return `${INTRODUCTION}${as === 'page' ? WRITTEN_BY : ''}
| setting | allowed | default | what it does |
|---|---|---|---|
${rows.join('\n')}

## The controller groups

A group is installed when its section is there, even if the section is empty. Without \`groups\`, those marked as the default are.

| group | what it does | its kinds | documented in |
|---|---|---|---|
${groups.map(groupRow).join('\n')}

## All settings, with examples

\`\`\`yaml
${stringify(example(schema), { lineWidth: 0 }).trim()}
\`\`\`
`;
}

function groupRow({ name, about, isDefault = false, kinds, pages }: ControllerGroup): string {
  const links = pages.map((page) => `[${page.split('/').at(-1)}](${page.replace(/^docs\//, '')})`);
  const shown = `\`${name}\`${isDefault ? ' (default)' : ''}`;
  return `| ${shown} | ${cell(about)} | ${kinds.map(({ type }) => type.kind).join(', ')} | ${links.join(', ')} |`;
}

function collect(schema: z.ZodType, path: readonly string[], rows: string[]): void {
  const { note, fallback, shape } = fieldSchema(schema);
  if (shape === undefined) {
    const shownFallback =
      fallback === undefined ? '' : `\`${Array.isArray(fallback) ? JSON.stringify(fallback) : String(fallback)}\``;
    rows.push(`| \`${path.join('.')}\` | ${cell(note?.allowed)} | ${shownFallback} | ${cell(note?.about)} |`);
    return;
  }
  for (const [field, inner] of Object.entries(shape)) collect(inner, [...path, field], rows);
}

function cell(text = ''): string {
  return text.replaceAll('|', '\\|');
}

/**
 * Every field with its example, as a document that the schema accepts.
 * @param groups the controller groups that exist.
 */
export function exampleSettings(groups: ControllerGroups = GROUPS): unknown {
  return example(settingsSchemaOf(groups));
}

function example(schema: z.ZodType): unknown {
  const { note, shape } = fieldSchema(schema);
  if (shape !== undefined) {
    return Object.fromEntries(
      Object.entries(shape).flatMap(([field, inner]) => {
        const value = example(inner);
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  }
  return note?.example === undefined ? undefined : parse(note.example);
}
