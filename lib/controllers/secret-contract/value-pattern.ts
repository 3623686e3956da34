import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Matches a whole value, in a time that is linear in its length. */
export interface ValuePattern {
  /** The number of instructions of the compiled expression, with its repetitions written out. */
  readonly size: number;
  matches(text: string): boolean;
  /** An upper bound of the steps for matching `length` characters. */
  steps(length: number): number;
}

/** The compiled pattern, or what is wrong with it. */
export type CompiledPattern =
  | { readonly ok: true; readonly pattern: ValuePattern }
  | { readonly ok: false; readonly problem: string };

/** Compiles an expression in RE2 syntax, the one that the API server's CEL rules use. */
export function compilePattern(expression: string): CompiledPattern {
  try {
    const compiled = RE2JS.compile(expression);
    const size = compiled.programSize();
    return {
      ok: true,
      pattern: { size, matches: (text) => compiled.testExact(text), steps: (length) => size * (length + 1) },
    };
  } catch (error) {
    return { ok: false, problem: error instanceof RE2JSSyntaxException ? error.getDescription() : 'it is too large' };
  }
}
