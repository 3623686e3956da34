import { Optional } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import type { Ast, Checker, Context, Evaluator } from './evaluator.ts';
import { celEqual } from './struct.ts';
import { REPLACED_FUNCTIONS, REPLACED_METHODS } from './text-functions.ts';

const NO_BINDINGS = "undeclared reference to 'cel' (in container '')";

/** A literal or a name that has no meaning; it is found before the expression is type-checked. */
export class LiteralError extends Error {
  override readonly name = 'LiteralError';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Changes a parsed expression so that it behaves as in Kubernetes' evaluator where the library behaves differently. It
 * replaces string methods, lets has() also test fields of list items and of other expressions, compares lists by their
 * list type, and lets only format() accept values of several types.
 * @throws LiteralError for an invalid regular expression
 */
export function adapt(node: unknown): void {
  if (Array.isArray(node)) {
    for (const each of node) adapt(each);
    return;
  }
  if (!isAst(node)) return;
  if (node.op === 'id' && node.args === 'cel') throw new LiteralError(node.start, NO_BINDINGS);
  const parts = node.args;
  if (Array.isArray(parts)) {
    if (node.op === 'rcall') adaptMethod(parts);
    if (node.op === 'call' && parts[0] === 'has') node.setMeta('macro', hasMacro((parts[1] as Ast[])[0] as Ast, node));
    if (node.op === 'call') parts[0] = REPLACED_FUNCTIONS.get(String(parts[0])) ?? parts[0];
    if (node.op === '==' || node.op === '!=') node.setMeta('evaluate', node.op === '==' ? equals : differs);
  }
  adapt(parts);
}

/** Whether the expression refers to the variable. */
export function refersTo(node: unknown, variable: string): boolean {
  if (Array.isArray(node)) return node.some((each) => refersTo(each, variable));
  return isAst(node) && ((node.op === 'id' && node.args === variable) || refersTo(node.args, variable));
}

function isAst(node: unknown): node is Ast {
  return typeof node === 'object' && node !== null && 'op' in node && 'args' in node;
}

/** `parts` are the method's name, its receiver and its arguments. */
function adaptMethod(parts: unknown[]): void {
  const name = String(parts[0]);
  const first: unknown = Array.isArray(parts[2]) ? parts[2][0] : undefined;
  if (name === 'matches' && isAst(first) && first.op === 'value' && typeof first.args === 'string') {
    try {
      RE2JS.compile(first.args);
    } catch {
      throw new LiteralError(first.start, 'invalid matches argument');
    }
  }
  if (name === 'format' && isAst(first) && first.op === 'list' && Array.isArray(first.args)) {
    first.args = first.args.map((element: Ast) => element.clone(DYNAMIC_ELEMENT, element));
  }
  parts[0] = REPLACED_METHODS.get(name) ?? name;
}

const DYNAMIC_ELEMENT = {
  name: 'dynamicElement',
  check(checker: Checker, ast: Ast, context: Context): unknown {
    checker.check(ast.args as Ast, context);
    return checker.getType('dyn');
  },
  evaluate: (evaluator: Evaluator, ast: Ast, context: Context): unknown => evaluator.run(ast.args as Ast, context),
};

function equals(evaluator: Evaluator, ast: Ast, context: Context): unknown {
  const [left, right] = ast.args as [Ast, Ast];
  const [mine, theirs] = [evaluator.run(left, context), evaluator.run(right, context)];
  if (Array.isArray(mine) && Array.isArray(theirs)) return celEqual(mine, theirs);
  return ast.handle(mine, theirs, ast, evaluator);
}

function differs(evaluator: Evaluator, ast: Ast, context: Context): unknown {
  const [left, right] = ast.args as [Ast, Ast];
  const [mine, theirs] = [evaluator.run(left, context), evaluator.run(right, context)];
  if (Array.isArray(mine) && Array.isArray(theirs)) return !celEqual(mine, theirs);
  return ast.handle(mine, theirs, ast, evaluator);
}

function hasMacro(field: Ast, call: Ast): object {
  return {
    async: false,
    typeCheck(checker: Checker, _macro: unknown, context: Context): unknown {
      if (field.op !== '.' && field.op !== '.?') {
        throw checker.createError('invalid_macro_argument', 'invalid argument to has() macro', field);
      }
      const [operand] = field.args as [Ast, string];
      const held = checker.check(operand, context);
      const optional = held.kind === 'optional' || field.op === '.?';
      const type = held.kind === 'optional' ? (held.valueType ?? held) : held;
      // cel-go reports an error in the field at the macro, one character after its opening parenthesis.
      const place = call.start + 'has('.length;
      const { op, args } = field;
      checker.checkAccessOnType({ ...call, op, args, start: place, pos: place } as Ast, context, type, optional);
      return checker.getType('bool');
    },
    evaluate(evaluator: Evaluator, _macro: unknown, context: Context): boolean {
      const [operand, name] = field.args as [Ast, string];
      const object = evaluator.run(operand, context);
      const value = evaluator.debugType(object).fieldLazy(object, name, field, evaluator);
      return value instanceof Optional ? value.hasValue() : value !== undefined;
    },
  };
}
