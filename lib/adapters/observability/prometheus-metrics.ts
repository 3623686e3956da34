import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ConditionStatus } from '../../core/conditions.ts';
import { METRICS, type MetricDimensions, type MetricName, type Metrics } from '../../ports/metrics.ts';
import type { ObjectSeries, SeriesObject } from '../../ports/object-series.ts';

/** Seconds. The time from event to status needs the small buckets, timers and backlogs the large ones. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const READY_VALUE: Readonly<Record<ConditionStatus, number>> = { True: 1, False: 0, Unknown: -1 };

/** The metrics of one process, for a Prometheus server. */
export class PrometheusMetrics implements Metrics, ObjectSeries {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #ready: Gauge;

  constructor() {
    for (const [name, { unit, dimensions, description }] of Object.entries(METRICS) as [
      MetricName,
      (typeof METRICS)[MetricName],
    ][]) {
      const labelNames = dimensions.map(labelName);
      if (unit === 'Count') {
        const counter = new Counter({
          name: `evenkeel_${snakeCase(name)}_total`,
          help: description,
          labelNames,
          registers: [this.#registry],
        });
        this.#counters.set(name, counter);
      } else {
        const histogram = new Histogram({
          name: `evenkeel_${snakeCase(name)}_seconds`,
          help: description,
          labelNames,
          buckets: BUCKETS,
          registers: [this.#registry],
        });
        this.#histograms.set(name, histogram);
      }
    }
    this.#ready = new Gauge({
      name: 'evenkeel_object_ready',
      help: 'The Ready condition of an object: 1 True, 0 False, -1 Unknown',
      labelNames: ['cluster', 'kind', 'namespace', 'name'],
      registers: [this.#registry],
    });
  }

  record<Name extends MetricName>(name: Name, value: number, dimensions: MetricDimensions<Name>): void {
    const labels = Object.fromEntries(
      Object.entries<string>(dimensions).map(([dimension, label]) => [labelName(dimension), label]),
    );
    this.#counters.get(name)?.inc(labels, value);
    this.#histograms.get(name)?.observe(labels, METRICS[name].unit === 'Milliseconds' ? value / 1_000 : value);
  }

  set(object: SeriesObject, ready: ConditionStatus): void {
    this.#ready.set(seriesLabels(object), READY_VALUE[ready]);
  }

  remove(object: SeriesObject): void {
    this.#ready.remove(seriesLabels(object));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The text that a Prometheus server reads. */
  exposition(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** The declared labels only. The object may have other fields. */
function seriesLabels({ cluster, kind, namespace, name }: SeriesObject): Record<string, string> {
  return { cluster, kind, namespace, name };
}

function labelName(dimension: string): string {
  return dimension.toLowerCase();
}

function snakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
