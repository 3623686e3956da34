export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Structured logs. Fields never hold a secret, a token or a raw server response. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `error` is logged by its name, code and message; its cause by name and code only. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}
