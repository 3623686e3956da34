import type { z } from 'zod';
import { listAt, textAt, valueAt } from '../../kit/value-at.ts';
import { expression, keyName, lengthInBytes, MAX_KEYS, MAX_TARGETS, objectName } from './contract-schema.ts';
import { patternCost } from './pattern-cost.ts';
import type { CompiledPattern, ValuePattern } from './value-pattern.ts';

/** What is wrong with each field, by the path of the field in the spec. */
export interface FieldIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Compiles an expression whose cost is known to be low, or returns what is wrong with it. */
export type PatternReader = (expression: string) => CompiledPattern;

/**
 * The limit for compiling all patterns of a contract, as `patternCost` counts: about 0.1 s, or 50,000 instructions. A
 * pattern of 512 characters can cost a hundred times as much, and the process does nothing else during that time
 * (R-1.6, R-2.14).
 */
const MAX_PATTERN_STEPS = 2_000_000;

/** The fields that break a rule about several fields, and the patterns by the index of their key. */
export interface RulesAcross {
  readonly issues: readonly FieldIssue[];
  readonly patterns: readonly (ValuePattern | undefined)[];
}

/**
 * Checks the rules about several fields. It skips a field that breaks a rule of its own, because `contractSpec` reports
 * that.
 * @param spec without nulls.
 */
export function judgeAcross(spec: unknown, readPattern: PatternReader): RulesAcross {
  const issues: FieldIssue[] = [];
  const budget = new PatternBudget(readPattern);
  const keys = entriesOf(spec, 'keys', MAX_KEYS);
  issues.push(
    ...repeated(
      keys.map((key) => nameIn(key, keyName)),
      'keys',
      'name each key once',
    ),
  );
  const patterns = keys.map((key, index) => {
    const [least, most] = [lengthAt(key, 'minLength'), lengthAt(key, 'maxLength')];
    if (least !== undefined && most !== undefined && least > most) {
      const message = 'is greater than maxLength: no value can satisfy both, so change one';
      issues.push({ path: ['keys', index, 'minLength'], message });
    }
    const read = patternOf(key, budget);
    if (typeof read !== 'string') return read;
    issues.push({ path: ['keys', index, 'pattern'], message: read });
    return undefined;
  });
  const targets = entriesOf(spec, 'targets', MAX_TARGETS).map((target) => nameIn(target, objectName));
  issues.push(...repeated(targets, 'targets', 'name each target once'));
  if (valueAt(spec, 'mutation') === 'Annotate' && targets.every((name) => name === undefined)) {
    const message = 'is Annotate, which needs at least one target: add one to spec.targets, or set Disabled';
    issues.push({ path: ['mutation'], message });
  }
  return { issues, patterns };
}

/** Empty when there are too many entries, because the list itself is reported then. */
function entriesOf(spec: unknown, field: string, max: number): readonly unknown[] {
  const entries = listAt(spec, field);
  return entries.length > max ? [] : entries;
}

/** The name of a key or a target; undefined when it is missing or invalid. */
export function nameIn(entry: unknown, name: z.ZodType<string>): string | undefined {
  return name.safeParse(valueAt(entry, 'name')).data;
}

function lengthAt(key: unknown, field: string): number | undefined {
  return lengthInBytes.safeParse(valueAt(key, field)).data;
}

function repeated(names: readonly (string | undefined)[], list: string, what: string): FieldIssue[] {
  return names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [{ path: [list, index, 'name'], message: `is there already: ${what}` }],
  );
}

/** The remaining cost for the patterns of one contract. When it is used up, no more patterns are compiled. */
class PatternBudget {
  readonly read: PatternReader;
  private left = MAX_PATTERN_STEPS;

  constructor(read: PatternReader) {
    this.read = read;
  }

  spend(steps: number): boolean {
    if (this.left >= 0) this.left -= steps;
    return this.left >= 0;
  }
}

/** @returns the pattern; undefined when the key has none; or the error as a text that follows the field's path. */
function patternOf(key: unknown, budget: PatternBudget): ValuePattern | string | undefined {
  const source = expression.safeParse(textAt(key, 'pattern')).data;
  if (source === undefined) return undefined;
  const cost = patternCost(source);
  if (cost.isUnclosed) return notRegularExpression('missing closing )');
  if (!budget.spend(cost.steps)) {
    return 'is too large, with those before it, once its repetitions and the cases of its classes are written out: repeat less';
  }
  const compiled = budget.read(source);
  return compiled.ok ? compiled.pattern : notRegularExpression(compiled.problem);
}

/** A text that follows the field's path. */
export function notRegularExpression(problem: string): string {
  return `is no regular expression in RE2 syntax (${problem}): correct it`;
}
