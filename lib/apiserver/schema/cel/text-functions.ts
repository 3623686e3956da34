import type { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';

const expressions = new Map<string, RE2JS>();
const EXPRESSIONS_KEPT = 1000;

/** Each expression is compiled once: nearly all of them are literals of a rule. */
function expression(source: string): RE2JS {
  const known = expressions.get(source);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(source);
  if (expressions.size >= EXPRESSIONS_KEPT) expressions.clear();
  expressions.set(source, compiled);
  return compiled;
}

function found(text: string, source: string, limit: number): string[] {
  const matcher = expression(source).matcher(text);
  const matches: string[] = [];
  while (matches.length < limit && matcher.find()) matches.push(matcher.group() ?? '');
  return matches;
}

/** Functions that are replaced for the same reason: Go also accepts `duration('0')`. */
export const REPLACED_FUNCTIONS: ReadonlyMap<string, string> = new Map([['duration', 'goDuration']]);

/**
 * Methods of strings whose built-in form does not behave as on the real server, by the name of their replacement. On
 * the real server, regular expressions have RE2's syntax and run in linear time, and case changes apply to ASCII
 * letters only.
 */
export const REPLACED_METHODS: ReadonlyMap<string, string> = new Map([
  ['matches', 'matchesRe2'],
  ['lowerAscii', 'lowerAsciiOnly'],
  ['upperAscii', 'upperAsciiOnly'],
]);

/** The name that the author of a rule wrote for a function that was replaced. */
export function writtenName(name: string): string {
  for (const [own, replacement] of [...REPLACED_METHODS, ...REPLACED_FUNCTIONS]) if (name === replacement) return own;
  return name;
}

export function registerText(environment: Environment): void {
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  register('string.matchesRe2(string): bool', (text: string, source: string) => expression(source).test(text));
  register('matches(string, string): bool', (text: string, source: string) => expression(source).test(text));
  register('string.lowerAsciiOnly(): string', (text: string) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase()));
  register('string.upperAsciiOnly(): string', (text: string) => text.replace(/[a-z]+/g, (run) => run.toUpperCase()));
  register('string.find(string): string', (text: string, source: string) => found(text, source, 1)[0] ?? '');
  register('string.findAll(string): list<string>', (text: string, source: string) => found(text, source, Infinity));
  register('string.findAll(string, int): list<string>', (text: string, source: string, limit: bigint) =>
    found(text, source, limit < 0n ? Infinity : Number(limit)),
  );
  register('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  );
  register('string.replace(string, string, int): string', (text: string, from: string, to: string, limit: bigint) =>
    replaced(text, from, to, limit),
  );
  register('string.charAt(int): string', (text: string, index: bigint) => {
    if (index < 0n || index > BigInt(text.length)) throw new RangeError(`index out of range: ${index}`);
    return text.charAt(Number(index));
  });
  register('string.format(list): string', (text: string, values: readonly unknown[]) => formatted(text, values));
}

function replaced(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, () => to);
  let result = text;
  let start = 0;
  for (let count = 0n; count < limit; count += 1n) {
    const at = result.indexOf(from, start);
    if (at < 0) break;
    result = result.slice(0, at) + to + result.slice(at + from.length);
    start = at + to.length + (from === '' ? 1 : 0);
  }
  return result;
}

/** The verbs of Go that CEL's format has: %s, %d, %f with a precision, %x, %b, %o and %%. */
function formatted(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replace(/%(?:\.(\d+))?(.)/g, (clause, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    if (next >= values.length) throw new RangeError(`index ${next} out of range`);
    const value = values[next];
    next += 1;
    switch (verb) {
      case 's':
        return spelled(value);
      case 'd':
        return String(value);
      case 'f':
        return Number(value).toFixed(precision === undefined ? 6 : Number(precision));
      case 'x':
      case 'b':
      case 'o':
        return BigInt(value as bigint).toString({ x: 16, b: 2, o: 8 }[verb]);
      default:
        throw new RangeError(`could not parse formatting clause: unrecognized formatting clause "${clause}"`);
    }
  });
}

function spelled(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spelled).join(', ')}]`;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  return String(value);
}
