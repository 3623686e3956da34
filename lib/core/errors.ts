/** Data of an error, for logs and tests. Never a secret, a token or a raw server response. */
export type ErrorData = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The base of every error this package throws on purpose. `code` is stable and machine readable; the message says what
 * was wrong, where, and what to do.
 */
export class EvenkeelError extends Error {
  readonly code: string;
  readonly data: ErrorData;

  constructor(code: string, message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** Several errors, each in its own line. In one message, the line ends could not be distinguished from quoted ones. */
export class FaultsError extends EvenkeelError {
  readonly faults: readonly string[];

  constructor(code: string, faults: readonly string[], options: { cause?: unknown; data?: ErrorData } = {}) {
    super(code, faults.join('\n'), options);
    this.faults = faults;
  }
}

/** The lines that describe an error to a person. */
export function errorLines(error: EvenkeelError): readonly string[] {
  return error instanceof FaultsError ? error.faults : [error.message];
}

/**
 * A controller throws this when no retry can help until the object, or something that it read, changes. The pass then
 * ends `terminal` with this reason instead of `retry`.
 */
export class TerminalError extends EvenkeelError {
  /** A condition reason, `^[A-Za-z][A-Za-z0-9]*$`. */
  readonly reason: string;

  constructor(reason: string, message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super('TERMINAL', message, options);
    this.reason = reason;
  }
}

/**
 * The lease of this pass was taken over, or has too little time left for a write. The pass must stop at once and
 * publish nothing. The pass that has the lease now reads later than this one did.
 */
export class LeaseLostError extends EvenkeelError {
  constructor(message: string, data: ErrorData = {}) {
    super('LEASE_LOST', message, { data });
  }
}

/** A table or queue request failed: the message stays on the queue and is delivered again. */
export class InfrastructureError extends EvenkeelError {
  constructor(message: string, options: { cause?: unknown; data?: ErrorData } = {}, code = 'INFRASTRUCTURE') {
    super(code, message, options);
  }
}

/**
 * The table answers, but the item of one key cannot be read, or the table refuses its new value. No retry helps, and no
 * other key is affected. The messages for this key are counted and become dead letters.
 */
export class ItemError extends InfrastructureError {
  constructor(message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super(message, options, 'ITEM');
  }
}
