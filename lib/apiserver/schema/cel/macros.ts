import { type Environment, Optional } from '@marcbachmann/cel-js';
import type { Ast, Checker, Context, Evaluator } from './evaluator.ts';

/** The macros of optional types: they compute a value from the value of an optional, if it has one. */
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
