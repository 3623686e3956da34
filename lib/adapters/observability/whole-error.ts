import { inspect } from 'node:util';

/**
 * The whole error: its text, its stack with the places in the sources, its causes and its fields. Only for a reader who
 * may see every value that the code used.
 * @returns one line each.
 */
export function wholeError(error: unknown): string[] {
  try {
    return inspect(error, {
      depth: 4,
      customInspect: false,
      breakLength: 120,
      maxArrayLength: 100,
      maxStringLength: 10_000,
    }).split('\n');
  } catch {
    return ['an error that cannot be read'];
  }
}
