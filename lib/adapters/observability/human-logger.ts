import type { Clock } from '../../ports/clock.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { errorLine } from './error-description.ts';
import { type LogOutput, safeFields } from './json-logger.ts';
import { type LogLevel, logsAt } from './log-level.ts';
import { safeText } from './safe-text.ts';

/** Plain lines for a person: time, level (except info), message, fields. */
export class HumanLogger implements Logger {
  readonly #output: LogOutput;
  readonly #clock: Clock;
  readonly #level: LogLevel;
  readonly #fields: LogFields;

  constructor(output: LogOutput, clock: Clock, level: LogLevel, fields: LogFields = {}) {
    this.#output = output;
    this.#clock = clock;
    this.#level = level;
    this.#fields = fields;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.#write('error', `${message}: ${errorLine(error)}`, fields);
  }

  with(fields: LogFields): Logger {
    return new HumanLogger(this.#output, this.#clock, this.#level, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields): void {
    if (!logsAt(this.#level, level)) return;
    const time = new Date(this.#clock.now()).toISOString().slice(11, 19);
    const shown = Object.entries(safeFields({ ...this.#fields, ...fields })).map(([name, value]) => `${name}=${value}`);
    const parts = [time, ...(level === 'info' ? [] : [`${level}:`]), safeText(message), ...shown];
    this.#output.line(parts.join(' '));
  }
}
