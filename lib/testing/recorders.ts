import type { LogFields, Logger } from '../ports/logger.ts';
import type { MetricDimensions, MetricName, Metrics } from '../ports/metrics.ts';

export interface RecordedMetric {
  readonly name: MetricName;
  readonly value: number;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Keeps the measurements for tests. */
export class RecordedMetrics implements Metrics {
  readonly recorded: RecordedMetric[] = [];

  record<Name extends MetricName>(name: Name, value: number, dimensions: MetricDimensions<Name>): void {
    this.recorded.push({ name, value, dimensions });
  }

  /** The sum of a metric over the records with these dimensions. */
  total(name: MetricName, dimensions: Readonly<Record<string, string>> = {}): number {
    return this.recorded
      .filter(
        (metric) =>
          metric.name === name && Object.entries(dimensions).every(([key, value]) => metric.dimensions[key] === value),
      )
      .reduce((sum, { value }) => sum + value, 0);
  }
}

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
  readonly error?: unknown;
}

/** Keeps the log lines and prints nothing. */
export class SilentLogger implements Logger {
  readonly lines: LoggedLine[];
  readonly #fields: LogFields;

  constructor(lines: LoggedLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#keep('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#keep('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#keep('warn', message, fields);
  }

  error(message: string, error: unknown, fields?: LogFields): void {
    this.lines.push({ level: 'error', message, error, fields: { ...this.#fields, ...fields } });
  }

  with(fields: LogFields): Logger {
    return new SilentLogger(this.lines, { ...this.#fields, ...fields });
  }

  #keep(level: LoggedLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
