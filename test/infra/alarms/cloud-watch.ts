import type { Resource } from '../../../infra/cloudformation.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** The properties of an AWS::CloudWatch::Alarm that evenkeel's templates set. */
export interface AlarmProperties {
  readonly AlarmName: string;
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Statistic?: 'Sum' | 'Maximum';
  readonly ExtendedStatistic?: 'p99';
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly ComparisonOperator: 'GreaterThanThreshold';
  readonly Threshold: number;
  readonly TreatMissingData: 'notBreaching' | 'ignore' | 'missing' | 'breaching';
}

interface Datum {
  readonly atMs: number;
  readonly visibleAtMs: number;
  readonly value: number;
}

/** A metric becomes visible this long after its time. */
const INGESTION_MS = 60_000;
const HOUR_SECONDS = 3_600;

/** The alarms of a template. */
export function alarmProperties(resources: Readonly<Record<string, Resource>>): AlarmProperties[] {
  return Object.values(resources).map(({ Properties }) => Properties as unknown as AlarmProperties);
}

/**
 * CloudWatch's metrics, and its evaluation of alarms by the user guide ("Alarm evaluation", "Configuring how CloudWatch
 * alarms treat missing data"):
 * - Each minute (each hour when the period is an hour or longer) it evaluates the periods that end now.
 * - It reads more periods than it evaluates. While enough of them have data, it evaluates the latest of those and
 * ignores missing ones. Otherwise it adds as few missing periods as possible.
 * - For AWS' own metrics of DynamoDB, missing data never changes the state of an alarm.
 */
export class CloudWatch {
  readonly #series = new Map<string, Datum[]>();
  readonly #keys = new WeakMap<AlarmProperties, string>();

  /** @param dimensions of the series, by name. */
  put(
    namespace: string,
    name: string,
    dimensions: Readonly<Record<string, string>>,
    value: number,
    atMs: number,
  ): void {
    const key = seriesKey(namespace, name, Object.entries(dimensions));
    const data = this.#series.get(key) ?? [];
    this.#series.set(key, data);
    data.push({ atMs, visibleAtMs: atMs + INGESTION_MS, value });
  }

  /**
   * @param spare how many periods CloudWatch reads in addition to those that it evaluates. AWS does not document the
   * number: two in the examples of its guide.
   */
  evaluate(alarm: AlarmProperties, nowMs: number, before: AlarmState, spare: number): AlarmState {
    const { Period, EvaluationPeriods, DatapointsToAlarm } = alarm;
    const stepMs = 1_000 * (Period >= HOUR_SECONDS ? HOUR_SECONDS : 60);
    const endMs = Math.floor(nowMs / stepMs) * stepMs;
    const points = this.#points(alarm, endMs, nowMs, EvaluationPeriods + spare);
    const real = points.filter((point) => point !== undefined).slice(0, EvaluationPeriods);
    const missing = EvaluationPeriods - real.length;
    const breaching = real.filter((value) => value > alarm.Threshold).length;
    if (missing === 0) return breaching >= DatapointsToAlarm ? 'ALARM' : 'OK';
    const treat = alarm.Namespace === 'AWS/DynamoDB' ? 'ignore' : alarm.TreatMissingData;
    switch (treat) {
      case 'notBreaching':
        return breaching >= DatapointsToAlarm ? 'ALARM' : 'OK';
      case 'breaching':
        return breaching + missing >= DatapointsToAlarm ? 'ALARM' : 'OK';
      case 'missing':
        if (real.length === 0) return 'INSUFFICIENT_DATA';
        return breaching >= Math.min(DatapointsToAlarm, real.length) ? 'ALARM' : 'OK';
      case 'ignore':
        // The periods with data may decide alone, whatever the missing ones would have been.
        if (breaching >= DatapointsToAlarm) return 'ALARM';
        return real.length - breaching > EvaluationPeriods - DatapointsToAlarm ? 'OK' : before;
    }
  }

  #keyOf(alarm: AlarmProperties): string {
    const known = this.#keys.get(alarm);
    if (known !== undefined) return known;
    const dimensions = (alarm.Dimensions ?? []).map(({ Name, Value }) => [Name, Value] as [string, string]);
    const key = seriesKey(alarm.Namespace, alarm.MetricName, dimensions);
    this.#keys.set(alarm, key);
    return key;
  }

  /** The value of each period, the latest first; undefined for one without data. */
  #points(alarm: AlarmProperties, endMs: number, nowMs: number, count: number): (number | undefined)[] {
    const all = this.#series.get(this.#keyOf(alarm)) ?? [];
    if (all.length === 0) return new Array(count).fill(undefined);
    const periodMs = alarm.Period * 1_000;
    const first = all.findLastIndex(({ atMs }) => atMs < endMs - count * periodMs) + 1;
    const data = all.slice(first);
    return Array.from({ length: count }, (_, back) => {
      const toMs = endMs - back * periodMs;
      const values = data
        .filter(({ atMs, visibleAtMs }) => atMs >= toMs - periodMs && atMs < toMs && visibleAtMs <= nowMs)
        .map(({ value }) => value);
      return values.length === 0 ? undefined : statistic(alarm, values);
    });
  }
}

function statistic({ Statistic, ExtendedStatistic }: AlarmProperties, values: number[]): number {
  if (Statistic === 'Sum') return values.reduce((sum, value) => sum + value, 0);
  if (Statistic === 'Maximum') return Math.max(...values);
  if (ExtendedStatistic !== 'p99') throw new Error('a statistic that the model does not know');
  values.sort((left, right) => left - right);
  return values[Math.ceil(values.length * 0.99) - 1] ?? 0;
}

function seriesKey(namespace: string, name: string, dimensions: [string, string][]): string {
  return JSON.stringify([namespace, name, dimensions.sort(([left], [right]) => (left < right ? -1 : 1))]);
}
