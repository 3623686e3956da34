import { TypeError as CelTypeError, type Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { LiteralError } from './adapt.ts';
import type { Ast } from './evaluator.ts';
import { writtenName } from './text-functions.ts';

const OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', 'in']);

/** Why an expression does not compile, and where, in the form in which cel-go prints it. */
export function compilationFault(error: unknown, expression: string, environment: Environment): string {
  const { offset, message } = told(error, expression, environment);
  const before = expression.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1);
  const text = expression.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

interface Told {
  readonly offset: number;
  readonly message: string;
}

function told(error: unknown, expression: string, environment: Environment): Told {
  if (error instanceof LiteralError) return { offset: error.offset, message: error.message };
  if (!(error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError)) {
    return { offset: 0, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, summary } = error;
  const node = error.node as Partial<Ast> | undefined;
  const start = error.range?.start ?? 0;
  // cel-go reports the position of the dot of a selection.
  const dot = Math.max(0, start - 1);
  switch (code) {
    case 'no_such_key':
      return { offset: dot, message: `undefined field '${summary.slice('No such key: '.length)}'` };
    case 'cannot_index_type':
      return { offset: dot, message: `type ${/'.*'/.exec(summary)?.[0] ?? ''} does not support field selection` };
    case 'unknown_variable':
      return { offset: start, message: undeclared(summary.slice('Unknown variable: '.length)) };
    case 'no_such_overload':
      return operatorTold(summary, node, expression, start);
    case 'no_matching_overload':
      return callTold(summary, node, expression, environment, start);
    case 'incompatible_ternary_branches': {
      const [left = '', right = ''] = [...summary.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');
      const message = `found no matching overload for '_?_:_' applied to '(bool, ${left}, ${right})'`;
      return { offset: betweenArguments(node, '?', expression) ?? start, message };
    }
    case 'heterogeneous_list_element':
    case 'heterogeneous_map_key':
    case 'heterogeneous_map_value':
      return { offset: start, message: summary.slice(summary.indexOf('expected type')) };
    default:
      return { offset: start, message: error instanceof ParseError ? `Syntax error: ${summary}` : summary };
  }
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function operatorTold(summary: string, node: Partial<Ast> | undefined, expression: string, start: number): Told {
  const words = summary.slice('no such overload: '.length).split(' ');
  const at = words.findLastIndex((word, index) => index > 0 && index < words.length - 1 && OPERATORS.has(word));
  if (at < 0) return { offset: start, message: `found no matching overload for '${summary.slice(18)}'` };
  const operator = words[at] ?? '';
  const [left, right] = [words.slice(0, at).join(' '), words.slice(at + 1).join(' ')];
  const name = operator === 'in' ? '@in' : `_${operator}_`;
  return {
    offset: betweenArguments(node, operator, expression) ?? start,
    message: `found no matching overload for '${name}' applied to '(${left}, ${right})'`,
  };
}

/** The position of an operator: after its first operand. */
function betweenArguments(node: Partial<Ast> | undefined, operator: string, expression: string): number | undefined {
  const first: unknown = Array.isArray(node?.args) ? node.args[0] : undefined;
  const end = (first as Partial<Ast> | undefined)?.end;
  const at = end === undefined ? -1 : expression.indexOf(operator, end);
  return at < 0 ? undefined : at;
}

function callTold(
  summary: string,
  node: Partial<Ast> | undefined,
  expression: string,
  environment: Environment,
  start: number,
): Told {
  const { receiver, called, args } = overloadIn(summary);
  const name = writtenName(called);
  const receiverEnd = Array.isArray(node?.args) ? (node.args[1] as Partial<Ast> | undefined)?.end : undefined;
  const at = expression.indexOf(`${name}(`, receiver === undefined ? start : (receiverEnd ?? start));
  const offset = at < 0 ? start : at + name.length;
  const known = environment.getDefinitions().functions.some((each) => each.name === called);
  if (!known) return { offset, message: undeclared(name) };
  const applied = receiver === undefined ? `(${args})` : `${receiver}.(${args})`;
  return { offset, message: `found no matching overload for '${name}' applied to '${applied}'` };
}

/** The call that a summary quotes, as in `found no matching overload for 'string.size(int)'`. */
function overloadIn(summary: string): { receiver: string | undefined; called: string; args: string } {
  const quoted = summary.slice(summary.indexOf("'") + 1, summary.lastIndexOf("'"));
  const open = quoted.indexOf('(');
  const head = open < 0 ? '' : quoted.slice(0, open);
  const dot = head.lastIndexOf('.');
  const args = quoted.slice(open + 1, quoted.lastIndexOf(')'));
  return { receiver: dot < 0 ? undefined : head.slice(0, dot), called: head.slice(dot + 1), args };
}

/** The error of a rule that failed while it ran, with the text of cel-go when that text is known. */
export function runtimeFault(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : String(error);
  const { code, summary } = error;
  switch (code) {
    case 'no_such_key':
      return `no such key: ${summary.slice('No such key: '.length)}`;
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`;
    case 'invalid_timestamp':
      return conversion('google.protobuf.Timestamp');
    case 'int_conversion_error':
      return conversion('int');
    case 'uint_conversion_error':
      return conversion('uint');
    case 'double_conversion_error':
      return conversion('double');
    case 'bool_conversion_error':
      return conversion('bool');
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'no_such_overload':
    case 'field_type_mismatch':
      return 'no such overload';
    case 'no_matching_overload':
      return `no such overload: ${writtenName(overloadIn(summary).called)}`;
    default:
      return summary;
  }
}

function conversion(type: string): string {
  return `type conversion error from 'string' to '${type}'`;
}
