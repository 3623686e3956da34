import type { Logger as PowertoolsLogWriter } from '@aws-lambda-powertools/logger';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { describeError } from './error-description.ts';
import { safeFields } from './json-logger.ts';
import { safeText } from './safe-text.ts';

/**
 * Structured logs of a Lambda function. It logs a description of an error and never passes the error on: Powertools would
 * print its text and stack, and the text may come from a server.
 */
export class PowertoolsLogger implements Logger {
  readonly #writer: PowertoolsLogWriter;
  readonly #fields: LogFields;

  constructor(writer: PowertoolsLogWriter, fields: LogFields = {}) {
    this.#writer = writer;
    this.#fields = fields;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#writer.debug(safeText(message), this.#merged(fields));
  }

  info(message: string, fields: LogFields = {}): void {
    this.#writer.info(safeText(message), this.#merged(fields));
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#writer.warn(safeText(message), this.#merged(fields));
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.#writer.error(safeText(message), { ...this.#merged(fields), failure: { ...describeError(error) } });
  }

  with(fields: LogFields): Logger {
    return new PowertoolsLogger(this.#writer, { ...this.#fields, ...fields });
  }

  #merged(fields: LogFields): Record<string, string | number | boolean> {
    return safeFields({ ...this.#fields, ...fields });
  }
}
