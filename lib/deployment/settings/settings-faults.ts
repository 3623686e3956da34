import type { ParsedNode } from 'yaml';
import type { z } from 'zod';
import { fieldSchema, noteAt, schemaAt } from '../../controllers/field-note.ts';
import { didYouMean } from '../suggestion/closest-word.ts';
import { nodeAt, offsetOf, type YamlPath } from './yaml-position.ts';

type Issue = z.core.$ZodIssue;

/**
 * One line for each fault, in the order of the file: the position, the field, what is wrong, what is allowed, an
 * example.
 * @param schema the schema with which the issues were found.
 * @param at formats an offset into the file.
 */
export function settingsFaults(
  schema: z.ZodType,
  issues: readonly Issue[],
  root: ParsedNode | null,
  at: (offset: number) => string,
): string[] {
  const faults = issues.flatMap((issue) => faultsOf(schema, issue, root));
  faults.sort((left, right) => left.offset - right.offset);
  return [...new Set(faults.map(({ offset, text }) => `${at(offset)}: ${text}`))];
}

interface Fault {
  readonly offset: number;
  readonly text: string;
}

function faultsOf(schema: z.ZodType, issue: Issue, root: ParsedNode | null): Fault[] {
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol');
  const section = schemaAt(schema, path);
  const name = path.length === 0 ? 'the settings' : dotted(path);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys((section && fieldSchema(section).shape) ?? {});
    return issue.keys.map((key) => ({
      offset: offsetOf(root, [...path, key]),
      text: `${dotted([...path, key])}: there is no such setting.${didYouMean(key, known)} ${name} may have: ${known.join(', ')}.`,
    }));
  }
  return [
    {
      offset: offsetOf(root, path),
      text: `${name}: ${whatIsWrong(issue, root, path)}.${whatIsAllowed(schema, path)}`,
    },
  ];
}

function whatIsWrong(issue: Issue, root: ParsedNode | null, path: YamlPath): string {
  if (issue.code === 'custom') return issue.message.replace(/\.$/, '');
  const written = nodeAt(root, path)?.toJSON() as unknown;
  if (written === undefined) return 'it is missing';
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    const size = issue.code === 'too_big' ? 'large' : 'small';
    if (typeof written === 'number') return `${written} is too ${size}`;
    if (typeof written === 'string') return `it is too ${size === 'large' ? 'long' : 'short'}`;
    return `has too ${size === 'large' ? 'many' : 'few'}`;
  }
  return `${shown(written)} is not allowed here`;
}

function whatIsAllowed(settings: z.ZodType, path: YamlPath): string {
  const noted = noteAt(settings, path);
  if (noted !== undefined) {
    const { allowed, example } = noted.note;
    return ` Allowed: ${allowed}.${example === undefined ? '' : ` Example: \`${noted.field}: ${example}\``}`;
  }
  const section = schemaAt(settings, path);
  const shape = section && fieldSchema(section).shape;
  return shape === undefined ? ' See docs/settings.md.' : ` A section with: ${Object.keys(shape).join(', ')}.`;
}

/**
 * Settings contain no secrets, but somebody may have put one there by mistake. So only short plain values are repeated.
 */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 40 ? JSON.stringify(value) : 'the text written there';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'a section';
}

export function dotted(path: YamlPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}
