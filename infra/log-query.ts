import { METRICS, type MetricName } from '../lib/ports/metrics.ts';
import type { Statistic } from './widget-metrics.ts';

/** A query of CloudWatch Logs Insights, as a widget takes it. */
export interface LogQuery {
  readonly query: string;
  /** Logs Insights draws lines of a statistic over time only where nothing else groups it. */
  readonly view: 'timeSeries' | 'table';
}

const MOST_ROWS = 50;

/**
 * Shows metrics that are fields of log lines: a percentile or a maximum over time, and a sum by its dimensions. It is charged when
 * somebody looks, by the bytes that it reads.
 * @param logGroups of the functions that record them.
 * @param names of metrics; those of a sum have the same dimensions, or are shown by those that they share.
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
