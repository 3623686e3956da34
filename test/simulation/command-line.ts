import { parseArgs } from 'node:util';

/** The command line asks for something that cannot be run. The message gives the reason. */
export class UsageError extends Error {}

/** The options of a command line, as they were typed. */
export type Typed<Options extends Record<string, 'string' | 'boolean'>> = {
  readonly [Name in keyof Options]?: Options[Name] extends 'string' ? string : boolean;
};

/**
 * Parses options; positional arguments are refused.
 * @throws UsageError for an unknown option, or one without its value.
 */
export function typedOptions<const Options extends Record<string, 'string' | 'boolean'>>(
  args: readonly string[],
  options: Options,
): Typed<Options> {
  const config = Object.fromEntries(Object.entries(options).map(([name, type]) => [name, { type }]));
  try {
    return parseArgs({ args: [...args], options: config }).values as Typed<Options>;
  } catch (error) {
    throw new UsageError(error instanceof Error ? firstSentence(error.message) : String(error));
  }
}

/** @throws UsageError for a text that is not a whole number, or a number that is too small. */
export function wholeNumber(option: string, typed: string, least: number): number {
  const value = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least)
    throw new UsageError(`--${option} '${typed}': a whole number is wanted, ${least} or more`);
  return value;
}

/** @throws UsageError for a text that is not a number above zero. */
export function positiveNumber(option: string, typed: string): number {
  const value = /^\d*\.?\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (!(value > 0)) throw new UsageError(`--${option} '${typed}': a number above 0 is wanted`);
  return value;
}

/** Runs a command line. A usage error prints the usage and ends with exit code 2; any other error ends with 1. */
export async function runCommand(usage: string, run: () => number | Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    console.error(error);
    return 1;
  }
}

/** Node adds advice about quoting. */
function firstSentence(message: string): string {
  return message.split(/\. |\n/)[0] ?? message;
}
