/**
 * The internal form of the CEL library, as far as macros and adaptations use it: the result of its parser, and the
 * functions that check and run it. It is known only for the version that package.json pins.
 */
export interface Ast {
  readonly op: string;
  args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  readonly input?: string;
  /** Set after the node was checked. */
  readonly checkedType: FieldType;
  readonly handle: (left: unknown, right: unknown, ast: Ast, evaluator: Evaluator) => unknown;
  setMeta(key: string, value: unknown): unknown;
  clone(operator: object, args: unknown): Ast;
}

export interface Context {
  forkWithVariable(name: string, type: unknown): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

export interface FieldType {
  readonly kind: string;
  /** The name of the type, such as `list<string>`. */
  readonly type: string;
  readonly valueType?: FieldType;
  fieldLazy(object: unknown, name: unknown, ast: Ast, evaluator: Evaluator): unknown;
}

export interface Checker {
  readonly registry: { getOptionalType(type: unknown): unknown };
  check(ast: Ast, context: Context): FieldType;
  checkAccessOnType(ast: Ast, context: Context, type: FieldType, allowMissing?: boolean): FieldType;
  getType(name: string): unknown;
  createError(code: string, message: string, ast: Ast): Error;
}

export interface Evaluator {
  run(ast: Ast, context: Context): unknown;
  debugType(value: unknown): FieldType;
}
