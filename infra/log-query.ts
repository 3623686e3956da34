import { METRICS, type MetricName } from '../lib/ports/metrics.ts';
import type { Statistic } from './widget-metrics.ts';

/** A query of CloudWatch Logs Insights, in the form of a widget. */
export interface LogQuery {
  readonly query: string;
  /** Logs Insights draws lines over time only for a statistic that is grouped only by time. */
  readonly view: 'timeSeries' | 'table';
}

const MOST_ROWS = 50;

/**
 * A query of metrics that are fields of log lines: a percentile or a maximum over time, or a sum by its dimensions. AWS
 * charges it when somebody looks at it, by the bytes that it reads.
 * @param logGroups the log groups of the functions that record the metrics.
 * @param names the names of metrics. For a sum they are grouped by the dimensions that all of them have.
 */
export function logQuery(logGroups: readonly string[], names: readonly MetricName[], statistic: Statistic): LogQuery {
  const sources = logGroups.map((name) => `SOURCE '${name}'`).join(' | ');
  const recorded = `filter ${names.map((name) => `ispresent(${name})`).join(' or ')}`;
  const values = names.map((name) => `${aggregate(statistic, name)} as ${name}_`).join(', ');
  const query = (by: string, rest = '') => `${sources} | ${recorded} | stats ${values} by ${by}${rest}`;
  if (statistic !== 'Sum') return { view: 'timeSeries', query: query('bin(5m)') };
  const shared = sharedDimensions(names);
  if (shared.length === 0) return { view: 'timeSeries', query: query('bin(5m)') };
  return { view: 'table', query: query(shared.join(', '), ` | sort ${names[0]}_ desc | limit ${MOST_ROWS}`) };
}

function aggregate(statistic: Statistic, name: MetricName): string {
  if (statistic === 'Sum') return `sum(${name})`;
  if (statistic === 'Maximum') return `max(${name})`;
  return `pct(${name}, ${statistic.slice(1)})`;
}

function sharedDimensions(names: readonly MetricName[]): string[] {
  const [first, ...others] = names.map((name): readonly string[] => METRICS[name].dimensions);
  return (first ?? []).filter((dimension) => others.every((dimensions) => dimensions.includes(dimension)));
}
