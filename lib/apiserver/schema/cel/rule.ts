import type { Environment } from '@marcbachmann/cel-js';
import type { JsonObject } from '../../json.ts';
import { stringAt } from '../../json.ts';
import type { IssueReason } from '../issue.ts';
import { adapt, refersTo } from './adapt.ts';
import type { Ast } from './evaluator.ts';
import { compilationFault } from './faults.ts';

const REASONS = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'] as const;
export const RULE_REASONS: readonly string[] = [...REASONS].sort();

/** The variables of a rule. An absent value is undefined. */
export interface Bindings {
  readonly self: unknown;
  readonly oldSelf?: unknown;
}

type Program = (bindings: Bindings) => unknown;

/** One compiled entry of x-kubernetes-validations. */
export interface Rule {
  readonly program: Program;
  readonly messageProgram: Program | undefined;
  /** The checked expressions; their cost is estimated from these. */
  readonly expression: Ast;
  readonly messageExpression: Ast | undefined;
  /** The message of a failed rule when no messageExpression returns a text. */
  readonly detail: string;
  /** The name of the rule in messages about the rule itself. */
  readonly label: string;
  readonly reason: IssueReason;
  /** Is appended to the path of the rule's schema; may be empty. */
  readonly fieldPath: string;
  /** A transition rule: it compares with the old value. */
  readonly usesOldSelf: boolean;
  readonly optionalOldSelf: boolean;
}

/** Why an expression is not a valid rule, with the text of the real server. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly keyword: 'rule' | 'messageExpression';

  constructor(keyword: 'rule' | 'messageExpression', message: string) {
    super(message);
    this.keyword = keyword;
  }
}

/**
 * Compiles a rule. `self` and `oldSelf` must be declared in the environment.
 * @throws RuleError when an expression does not parse, does not type-check or has the wrong type
 */
export function compileRule(source: JsonObject, environment: Environment, fieldPath: string): Rule {
  const expression = stringAt(source, 'rule');
  const message = stringAt(source, 'message').trim();
  const messageExpression = stringAt(source, 'messageExpression');
  const { program, tree, usesOldSelf } = compile(environment, expression, 'bool', 'rule');
  const told =
    messageExpression === '' ? undefined : compile(environment, messageExpression, 'string', 'messageExpression');
  const reason = REASONS.find((each) => each === source.reason) ?? 'FieldValueInvalid';
  return {
    program,
    messageProgram: told?.program,
    expression: tree,
    messageExpression: told?.tree,
    detail: message === '' ? `failed rule: ${expression.trim()}` : message,
    label: message === '' ? expression.trim() : message,
    reason,
    fieldPath,
    usesOldSelf,
    optionalOldSelf: source.optionalOldSelf === true,
  };
}

function compile(
  environment: Environment,
  expression: string,
  wanted: 'bool' | 'string',
  keyword: 'rule' | 'messageExpression',
): { program: Program; tree: Ast; usesOldSelf: boolean } {
  const prefix = keyword === 'rule' ? 'compilation failed' : 'messageExpression compilation failed';
  try {
    const parsed = environment.parse(expression);
    const tree = parsed.ast as unknown as Ast;
    adapt(tree);
    const checked = parsed.check();
    if (!checked.valid) throw checked.error;
    if (checked.type !== wanted && checked.type !== 'dyn') {
      const what =
        keyword === 'rule' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string';
      throw new RuleError(keyword, what);
    }
    return { program: (bindings) => parsed({ ...bindings }), tree, usesOldSelf: refersTo(tree, 'oldSelf') };
  } catch (error) {
    if (error instanceof RuleError) throw error;
    throw new RuleError(keyword, `${prefix}: ${compilationFault(error, expression, environment)}`);
  }
}
