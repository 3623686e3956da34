import { patternCost } from './pattern-cost.ts';
import { type CompiledPattern, compilePattern, type ValuePattern } from './value-pattern.ts';

export interface PatternCacheLimits {
  readonly patterns: number;
  /** The limit for the instructions of all compiled patterns together; one takes about 100 bytes. */
  readonly instructions: number;
}

const DEFAULT_LIMITS: PatternCacheLimits = { patterns: 2_000, instructions: 400_000 };

/** Compiled patterns by their text, for all contracts of a process. The least recently used one is removed first. */
export class PatternCache {
  readonly #limits: PatternCacheLimits;
  readonly #compiled = new Map<string, CompiledPattern>();
  #instructions = 0;
  #spentSteps = 0;

  constructor(limits: PatternCacheLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** The cost of all compilations until now, as `patternCost` counts it. */
  get spentSteps(): number {
    return this.#spentSteps;
  }

  get size(): { readonly patterns: number; readonly instructions: number } {
    return { patterns: this.#compiled.size, instructions: this.#instructions };
  }

  /** Compiles the expression when it is first used. */
  defer(expression: string): DeferredPattern {
    return new DeferredPattern(expression, this);
  }

  compile(expression: string): CompiledPattern {
    const known = this.#compiled.get(expression);
    if (known !== undefined) {
      this.#compiled.delete(expression);
      this.#compiled.set(expression, known);
      return known;
    }
    this.#spentSteps += patternCost(expression).steps;
    const compiled = compilePattern(expression);
    this.#compiled.set(expression, compiled);
    this.#instructions += sizeOf(compiled);
    this.#trim();
    return compiled;
  }

  #trim(): void {
    for (const [expression, compiled] of this.#compiled) {
      if (this.#compiled.size <= this.#limits.patterns && this.#instructions <= this.#limits.instructions) return;
      this.#compiled.delete(expression);
      this.#instructions -= sizeOf(compiled);
    }
  }
}

/** A pattern that is compiled only when a value is matched, so that a contract without a Secret compiles none. */
export class DeferredPattern implements ValuePattern {
  readonly #expression: string;
  readonly #cache: PatternCache;

  constructor(expression: string, cache: PatternCache) {
    this.#expression = expression;
    this.#cache = cache;
  }

  /** The reason why the expression is invalid; undefined when it is valid. Compiles it. */
  get problem(): string | undefined {
    const compiled = this.#cache.compile(this.#expression);
    return compiled.ok ? undefined : compiled.problem;
  }

  get size(): number {
    return this.#pattern().size;
  }

  matches(text: string): boolean {
    return this.#pattern().matches(text);
  }

  steps(length: number): number {
    return this.#pattern().steps(length);
  }

  #pattern(): ValuePattern {
    const compiled = this.#cache.compile(this.#expression);
    if (!compiled.ok) throw new Error('a pattern is matched that is no regular expression: ask for its problem before');
    return compiled.pattern;
  }
}

function sizeOf(compiled: CompiledPattern): number {
  return compiled.ok ? compiled.pattern.size : 0;
}
