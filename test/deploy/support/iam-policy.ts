/** A statement of a policy document, with the fields that this project uses. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Condition;
}

type Condition = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** The values of a request, by condition key. */
export type RequestKeys = Readonly<Record<string, readonly string[]>>;

/** One action on one resource pattern that a statement allows. */
export interface Grant {
  readonly sid: string;
  readonly action: string;
  readonly resource: string;
  readonly condition?: Condition | undefined;
}

/** The condition operators that this project uses. @param shown undefined when the request has no such key. */
const OPERATORS: Readonly<
  Record<string, (shown: readonly string[] | undefined, wanted: readonly string[]) => boolean>
> = {
  'ForAllValues:StringLike': (shown = [], wanted) =>
    shown.every((value) => wanted.some((one) => pattern(one, '').test(value))),
  'ForAllValues:StringNotLike': (shown = [], wanted) =>
    shown.every((value) => !wanted.some((one) => pattern(one, '').test(value))),
  Null: (shown, [wanted]) => (shown === undefined) === (wanted === 'true'),
  ArnLike: (shown = [], wanted) =>
    shown.length > 0 && shown.every((value) => wanted.some((one) => pattern(one, '').test(value))),
  StringEquals: (shown = [], wanted) => shown.length > 0 && shown.every((value) => wanted.includes(value)),
};

/** The single grants of a policy document. @throws Error for a part that this code cannot evaluate. */
export function grantsOf(statements: readonly Statement[]): Grant[] {
  return statements.flatMap((statement) => {
    const unknown = [
      ...Object.keys(statement).filter((key) => !['Sid', 'Effect', 'Action', 'Resource', 'Condition'].includes(key)),
      ...Object.keys(statement.Condition ?? {}).filter((operator) => !(operator in OPERATORS)),
    ];
    if (statement.Effect !== 'Allow' || unknown.length > 0) {
      throw new Error(`statement ${statement.Sid} has an effect or elements that are not evaluated here`);
    }
    return list(statement.Action).flatMap((action) =>
      list(statement.Resource).map((resource) => ({
        sid: statement.Sid,
        action,
        resource,
        condition: statement.Condition,
      })),
    );
  });
}

/** Whether a grant covers an action on a resource: `*` stands for any characters, `?` for one. @param keys of the request. */
export function covers(grant: Grant, action: string, resource: string, keys: RequestKeys = {}): boolean {
  return (
    pattern(grant.action, 'i').test(action) &&
    pattern(grant.resource, '').test(resource) &&
    Object.entries(grant.condition ?? {}).every(([operator, wanted]) =>
      Object.entries(wanted).every(([key, values]) => OPERATORS[operator]?.(keys[key], list(values)) ?? false),
    )
  );
}

function pattern(text: string, flags: string): RegExp {
  const source = text.replace(/[.*+?^${}()|[\]\\]/g, (letter) => ({ '*': '.*', '?': '.' })[letter] ?? `\\${letter}`);
  return new RegExp(`^${source}$`, flags);
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
