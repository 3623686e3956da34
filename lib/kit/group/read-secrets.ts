import { EvenkeelError } from '../../core/errors.ts';

/** Shorter texts occur by chance in what is not secret. */
const SHORTEST = 8;
/** Causes of an error that are looked at, as many as logs name. */
const MAX_CAUSES = 8;

/**
 * The secrets that a pass has read. What the pass publishes, stores or throws must not contain one: status, events, logs and
 * the table are read by people who may not read the secret.
 */
export class ReadSecrets {
  readonly #names = new Map<string, string>();

  add(name: string, text: string): void {
    if (text.length >= SHORTEST) this.#names.set(text, name);
  }

  /**
   * @param value plain data.
   * @param where e.g. `the status`.
   * @throws EvenkeelError SECRET_SHOWN
   */
  assertAbsent(value: unknown, where: string): void {
    const name = this.#nameIn(value);
    if (name !== undefined) throw shown(name, where);
  }

  /** The error without causes that contain a secret; another error in its place when its own text contains one. */
  withoutSecrets(thrown: unknown): unknown {
    if (this.#nameIn(textsOf(thrown, MAX_CAUSES)) === undefined) return thrown;
    const name = this.#nameIn(textsOf(thrown, 1));
    if (name !== undefined) return shown(name, 'the text of an error');
    delete (thrown as { cause?: unknown }).cause;
    return thrown;
  }

  #nameIn(value: unknown): string | undefined {
    if (this.#names.size === 0) return undefined;
    const json = jsonOf(value);
    for (const [text, name] of this.#names) if (json.includes(jsonOf(text).slice(1, -1))) return name;
    return undefined;
  }
}

function shown(name: string, where: string): EvenkeelError {
  return new EvenkeelError(
    'SECRET_SHOWN',
    `${where} would show the secret ${name}, so nothing of it was published. Leave the secret out of it.`,
  );
}

/** The engine refuses what has no JSON, such as a cycle, so it shows nothing. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** What logs and terminals show of an error. The engine replaces an object that throws when it is read. */
function textsOf(thrown: unknown, errors: number): unknown[] {
  const texts: unknown[] = [];
  try {
    let looked = thrown;
    for (let depth = 0; looked instanceof Error && depth < errors; depth += 1) {
      const { name, message, stack, cause, data } = looked as Error & { data?: unknown };
      texts.push(name, message, stack, looked instanceof EvenkeelError ? data : undefined);
      looked = cause ?? (looked instanceof AggregateError ? looked.errors[0] : undefined);
    }
    if (typeof looked === 'string') texts.push(looked);
  } catch {
    return [];
  }
  return texts;
}
