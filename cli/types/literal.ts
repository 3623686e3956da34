import type { JsonValue } from '../../lib/core/kube-object.ts';

/** A longer literal has a line for each of its parts. */
const LINE = 90;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** A JSON value as TypeScript, in the style of this package. */
export function literal(value: JsonValue): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map(literal)
    : Object.entries(value).map(([name, inner]) => `${nameLiteral(name)}: ${literal(inner)}`);
  if (parts.length === 0) return isList ? '[]' : '{}';
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${indented(part)},\n`).join('')}${close}`;
}

/** A text in single quotes, or in double ones if it has single quotes and no double ones. */
export function textLiteral(text: string): string {
  if (text.includes("'") && !text.includes('"')) return JSON.stringify(text);
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

/** The name of a field of an object. */
export function nameLiteral(name: string): string {
  return IDENTIFIER.test(name) ? name : textLiteral(name);
}

/** Moves every line to the right. No literal contains a line end of its own. */
export function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
