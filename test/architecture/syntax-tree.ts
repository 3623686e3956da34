import { parseSync } from 'vite';

/** A node of a TypeScript source's tree (ESTree with types); start and end count UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Calls `visit` with every node and the nodes around it, the nearest first. @throws Error when the text is not
 * TypeScript.
 */
export function walk(
  source: string,
  visit: (node: SyntaxNode, around: readonly SyntaxNode[]) => void,
  lang: 'ts' | 'tsx' = 'ts',
): void {
  const { program, errors } = parseSync('source.ts', source, { lang });
  const [error] = errors;
  if (error !== undefined) throw new Error(error.message);
  descend(program, [], visit);
}

function descend(
  value: unknown,
  around: readonly SyntaxNode[],
  visit: (node: SyntaxNode, around: readonly SyntaxNode[]) => void,
): void {
  if (Array.isArray(value)) {
    for (const part of value) descend(part, around, visit);
  } else if (isNode(value)) {
    visit(value, around);
    for (const part of Object.values(value)) descend(part, [value, ...around], visit);
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
