import { type Environment, Optional } from '@marcbachmann/cel-js';
import { REPLACED_METHODS } from './text-functions.ts';

/** What the parser makes of an expression, as far as it is looked at here. */
export interface Ast {
  readonly op: string;
  args: unknown;
  readonly pos: number;
  readonly start: number;
  setMeta(key: string, value: unknown): unknown;
}

interface Context {
  forkWithVariable(name: string, type: unknown): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

interface FieldType {
  readonly kind: string;
  readonly valueType?: unknown;
  fieldLazy(object: unknown, name: unknown, ast: Ast, evaluator: Evaluator): unknown;
}

interface Checker {
  readonly registry: { getOptionalType(type: unknown): unknown };
  check(ast: Ast, context: Context): FieldType;
  getType(name: string): unknown;
  createError(code: string, message: string, ast: Ast): Error;
}

interface Evaluator {
  run(ast: Ast, context: Context): unknown;
  debugType(value: unknown): FieldType;
}

/**
 * Makes a parsed expression behave as Kubernetes' evaluator does where the library's differs: string methods are
 * replaced by those of the right semantics, and has() also takes fields of list items and of other expressions.
 */
export function adapt(node: unknown): void {
  if (Array.isArray(node)) {
    for (const each of node) adapt(each);
    return;
  }
  if (!isAst(node)) return;
  const parts = node.args;
  if (Array.isArray(parts)) {
    if (node.op === 'rcall') parts[0] = REPLACED_METHODS.get(String(parts[0])) ?? parts[0];
    if (node.op === 'call' && parts[0] === 'has') node.setMeta('macro', hasMacro((parts[1] as Ast[])[0] as Ast));
  }
  adapt(parts);
}

function isAst(node: unknown): node is Ast {
  return typeof node === 'object' && node !== null && 'op' in node && 'args' in node;
}

/** Whether the expression refers to the variable. */
export function refersTo(node: unknown, variable: string): boolean {
  if (Array.isArray(node)) return node.some((each) => refersTo(each, variable));
  return isAst(node) && ((node.op === 'id' && node.args === variable) || refersTo(node.args, variable));
}

function hasMacro(field: Ast): object {
  return {
    async: false,
    typeCheck(checker: Checker, _macro: unknown, context: Context): unknown {
      if (field.op !== '.' && field.op !== '.?') {
        throw checker.createError('invalid_macro_argument', 'invalid argument to has() macro', field);
      }
      checker.check(field, context);
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

/** The macros of optional types: a value computed from what an optional holds, if it holds anything. */
export function registerMacros(environment: Environment): void {
  environment.registerFunction('optional.optMap(ast, ast): optional<dyn>', optionalMacro(false));
  environment.registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', optionalMacro(true));
}

function optionalMacro(flat: boolean): (call: { args: Ast[]; receiver: Ast }) => object {
  return ({ args, receiver }) => {
    const [variable, expression] = args as [Ast, Ast];
    let inner: Context | undefined;
    return {
      async: false,
      typeCheck(checker: Checker, _macro: unknown, context: Context): unknown {
        const held = checker.check(receiver, context);
        const type = held.kind === 'optional' ? held.valueType : checker.getType('dyn');
        inner = context.forkWithVariable(String(variable.args), type);
        const result = checker.check(expression, inner);
        return flat ? result : checker.registry.getOptionalType(result);
      },
      evaluate(evaluator: Evaluator, _macro: unknown, context: Context): unknown {
        const held = evaluator.run(receiver, context);
        if (!(held instanceof Optional) || !held.hasValue() || inner === undefined) return Optional.none();
        const result = evaluator.run(expression, inner.reuse(context).setIterValue(held.value(), evaluator));
        return flat ? result : Optional.of(result);
      },
    };
  };
}
