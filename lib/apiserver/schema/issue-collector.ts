import type { SchemaIssue } from './issue.ts';

/** What a check found so far; `matches` counts what was in order, to tell the closest of several alternatives. */
export interface IssueCollector {
  readonly issues: SchemaIssue[];
  matches: number;
}

/** The path of a member. */
export function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The path of a list item. */
export function within(path: string, index: number): string {
  return `${path}[${index}]`;
}
