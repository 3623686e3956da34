import { Metrics as EmfWriter } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricDimensions, type MetricName, type Metrics } from '../../ports/metrics.ts';
import type { LogOutput } from './json-logger.ts';

/**
 * CloudWatch accepts 100 values of one metric in one line. At the 100th value Powertools writes the line by itself, to
 * its own output.
 */
const MAX_VALUES = 99;

/**
 * Which metrics become series of CloudWatch.
 * - `all`: each metric, with its dimensions.
 * - `alarms`: only the metrics of alarms, without dimensions. The others are fields of log lines, with their
 *   dimensions, for queries.
 *
 * A series costs as much as three alarms, and `all` has one for each cluster and kind.
 */
export type MetricSeries = 'all' | 'alarms';

interface Collected {
  /** The same metrics are also written without dimensions. */
  readonly total: boolean;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Map<MetricName, number[]>;
}

/**
 * CloudWatch metrics in the embedded metric format. They are collected during an invocation and written at its end: one
 * line for each set of dimensions, instead of one for each measurement.
 */
export class PowertoolsMetrics implements Metrics {
  readonly #output: LogOutput;
  readonly #writer: EmfWriter;
  readonly #series: MetricSeries;
  #collected = new Map<string, Collected>();

  /**
   * @param namespace of CloudWatch, e.g. `evenkeel/prod`: different for each installation, so that no dimension is
   * needed for it.
   */
  constructor(namespace: string, output: LogOutput, series: MetricSeries = 'all') {
    this.#output = output;
    this.#series = series;
    this.#writer = new EmfWriter({ namespace, serviceName: 'evenkeel' });
    // Powertools adds a dimension `service`. With it, no alarm would match the metrics that METRICS declares.
    this.#writer.clearDefaultDimensions();
  }

  record<Name extends MetricName>(name: Name, value: number, dimensions: MetricDimensions<Name>): void {
    const total = 'total' in METRICS[name];
    const entries = Object.entries(dimensions).sort(([left], [right]) => (left < right ? -1 : 1));
    const key = JSON.stringify([total, entries]);
    const group = this.#collected.get(key) ?? { total, dimensions, values: new Map() };
    this.#collected.set(key, group);
    const values = group.values.get(name);
    if (values === undefined) group.values.set(name, [value]);
    else if (METRICS[name].unit === 'Count') values[0] = (values[0] ?? 0) + value;
    else values.push(value);
  }

  /** Writes the collected metrics and clears them. Call it at the end of each invocation. */
  flush(): void {
    const groups = [...this.#collected.values()];
    this.#collected = new Map();
    for (const { total, dimensions, values } of groups) {
      // A query cannot read a list of values, so each value gets its own line.
      const perLine = this.#series === 'alarms' && !total ? 1 : MAX_VALUES;
      const rounds = Math.ceil(Math.max(...[...values.values()].map((list) => list.length)) / perLine);
      for (let round = 0; round < rounds; round++) {
        this.#writer.addDimensions({ ...dimensions });
        for (const [name, list] of values) {
          for (const value of list.slice(round * perLine, (round + 1) * perLine)) {
            this.#writer.addMetric(name, METRICS[name].unit, value);
          }
        }
        this.#output.line(JSON.stringify(this.#asSeries(this.#writer.serializeMetrics(), total)));
        this.#writer.clearMetrics();
        this.#writer.clearDimensions();
      }
    }
  }

  #asSeries(line: EmfOutput, total: boolean): object {
    if (this.#series === 'alarms' && !total) {
      const { _aws: _, ...fields } = line;
      return fields;
    }
    for (const directive of line._aws.CloudWatchMetrics) {
      if (this.#series === 'alarms') directive.Dimensions = [[]];
      // An empty set of dimensions in addition to the other one: each value counts in both.
      else if (total) directive.Dimensions.push([]);
    }
    return line;
  }
}

type EmfOutput = ReturnType<EmfWriter['serializeMetrics']>;
