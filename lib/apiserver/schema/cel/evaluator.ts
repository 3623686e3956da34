/**
 * The inner side of the CEL library, as far as macros and adaptations meet it: what its parser makes of an expression,
 * and what checks and runs that. Only the version that package.json pins is known to look so.
 */
export interface Ast {
  readonly op: string;
  args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  readonly input?: string;
  /** Set once the node was checked. */
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
  /** As it is written, such as `list<string>`. */
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
