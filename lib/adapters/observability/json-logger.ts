import type { Clock } from '../../ports/clock.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { describeError } from './error-description.ts';
import { type LogLevel, logsAt } from './log-level.ts';
import { safeField, safeText } from './safe-text.ts';

export interface LogOutput {
  /** Writes one line; the text has no line end. */
  line(text: string): void;
}

/** One JSON object a line, for log collectors. */
export class JsonLogger implements Logger {
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
    this.#write('error', message, fields, { error: describeError(error) });
  }

  with(fields: LogFields): Logger {
    return new JsonLogger(this.#output, this.#clock, this.#level, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields, extra: object = {}): void {
    if (!logsAt(this.#level, level)) return;
    this.#output.line(
      JSON.stringify({
        time: new Date(this.#clock.now()).toISOString(),
        level,
        message: safeText(message),
        ...safeFields({ ...this.#fields, ...fields }),
        ...extra,
      }),
    );
  }
}

/** The fields in a form that is safe to log. Absent fields are left out. */
export function safeFields(fields: LogFields): Record<string, string | number | boolean> {
  const safe: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) safe[name] = safeField(name, value);
  }
  return safe;
}
