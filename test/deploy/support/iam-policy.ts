/** A statement of a policy document, as far as this project writes them. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** One action on one resource pattern that a statement allows. */
export interface Grant {
  readonly sid: string;
  readonly action: string;
  readonly resource: string;
}

/** What a policy document allows, one by one. @throws Error for what this evaluation does not know. */
export function grantsOf(statements: readonly Statement[]): Grant[] {
  return statements.flatMap((statement) => {
    const unknown = Object.keys(statement).filter((key) => !['Sid', 'Effect', 'Action', 'Resource'].includes(key));
    if (statement.Effect !== 'Allow' || unknown.length > 0) {
      throw new Error(`statement ${statement.Sid} has an effect or elements that are not evaluated here`);
    }
    return list(statement.Action).flatMap((action) =>
      list(statement.Resource).map((resource) => ({ sid: statement.Sid, action, resource })),
    );
  });
}

/** Whether a grant covers an action on a resource: `*` stands for any characters, `?` for one. */
export function covers(grant: Grant, action: string, resource: string): boolean {
  return pattern(grant.action, 'i').test(action) && pattern(grant.resource, '').test(resource);
}

function pattern(text: string, flags: string): RegExp {
  const source = text.replace(/[.*+?^${}()|[\]\\]/g, (letter) => ({ '*': '.*', '?': '.' })[letter] ?? `\\${letter}`);
  return new RegExp(`^${source}$`, flags);
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
