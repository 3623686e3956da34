import type { SchemaIssue } from './issue.ts';

/**
 * The errors that a check has found. `matches` counts the checks that passed, to find the closest of several
 * alternatives.
 */
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
