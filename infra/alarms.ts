import { metricsNamespace, pascalCase } from '../lib/deployment/cloud/cloud-names.ts';
import { deadLetterName, LANES, queueName, wakeQueueName } from '../lib/deployment/installation/resource-names.ts';
import type { MetricName } from '../lib/ports/metrics.ts';
import type { CfnValue, Resource, Resources } from './cloudformation.ts';
import { type DeployedFunction, deployedFunctions } from './deployed-functions.ts';
import { scheduleMs } from './functions.ts';
import { alarmTarget } from './notifications.ts';
import type { Stage } from './stage.ts';
import { AWS_METRICS, type AwsMetricName, type AwsNamespace, type Statistic } from './widget-metrics.ts';

/** The metric of an alarm: one of ours over all its series, or one of AWS' for one resource. */
export type AlarmMetric =
  | { readonly own: MetricName }
  | {
      [Namespace in AwsNamespace]: {
        readonly aws: Namespace;
        readonly name: AwsMetricName<Namespace>;
        readonly resource: string;
      };
    }[AwsNamespace];

export interface AlarmDefinition {
  /** Unique in the stage. */
  readonly name: string;
  /** The heading in docs/operations.md with the remedy. */
  readonly runbook: string;
  readonly metric: AlarmMetric;
  readonly statistic: Statistic;
  readonly periodSeconds: number;
  /** How many of the last `periods` must be above the threshold. */
  readonly datapoints: number;
  readonly periods: number;
  readonly threshold: number;
  /**
   * The meaning of a period without data.
   * - `notBreaching`: no fault, because the metric has no zeros.
   * - `ignore`: the alarm keeps its state.
   * - `missing`: the metric stopped, which is the fault itself. A stage that was just deployed has no data yet and
   *   sends nothing.
   */
  readonly silence: 'notBreaching' | 'ignore' | 'missing';
}

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/**
 * Alarms only for faults that need a person. None uses metric math. Each period is at least as long as the time between
 * two measurements during the fault. No alarm requires every period: a schedule may be late by some seconds, and then a
 * period has no data.
 */
export function alarmDefinitions(stage: Stage): AlarmDefinition[] {
  const { sweepMs } = stage.settings.intervals;
  return [
    own('RelaySilent', 'RelaySilence', 'Maximum', { above: 300, ...measuredEach(sweepMs) }),
    own('LostWakeups', 'ResyncDrift', 'Sum', { above: 0, periodSeconds: 5 * MINUTE }),
    own('NeedsPerson', 'NeedsPerson', 'Sum', { above: 0, periodSeconds: 10 * MINUTE }),
    own('DeadlinesLate', 'DeadlineLag', 'p99', { above: 60_000, ...lasting(5 * MINUTE) }),
    own('ClusterUnreachable', 'ClusterUnanswered', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    own('ClusterRefused', 'ClusterRefused', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    own('ClusterRestored', 'ClusterRestored', 'Sum', { above: 0, periodSeconds: 5 * MINUTE }),
    // When nothing changes in a cluster, only resync reads the Lease.
    own('DeploymentConflict', 'DeploymentConflict', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    own('TableThrottled', 'TableThrottled', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    ...deadLetters(stage),
    ...backlogs(stage),
    ...deployedFunctions(stage).flatMap((deployed) => functionAlarms(stage, deployed)),
  ];
}

/** For a fault that lasts: two of three periods. A fault that is over after one period needs no person. */
function lasting(periodSeconds: number): Pick<Limit, 'periodSeconds' | 'periods' | 'datapoints'> {
  // CloudWatch looks back at most one day.
  if (3 * periodSeconds > DAY) return { periodSeconds: Math.min(periodSeconds, DAY), periods: 1, datapoints: 1 };
  return { periodSeconds, periods: 3, datapoints: 2 };
}

/** For a metric that each run of a schedule measures. @param everyMs 0 when there is no schedule. */
function measuredEach(everyMs: number, shortest = MINUTE): Pick<Limit, 'periodSeconds' | 'periods' | 'datapoints'> {
  const periodSeconds = Math.max(shortest, everyMs / 1_000);
  return periodSeconds === MINUTE ? { periodSeconds, periods: 5, datapoints: 3 } : lasting(periodSeconds);
}

export function alarms(stage: Stage): Resources {
  const target = alarmTarget(stage);
  return Object.fromEntries(
    alarmDefinitions(stage).map((definition) => [alarmId(definition.name), alarm(stage, definition, target)]),
  );
}

export function alarmId(name: string): string {
  return `${name}Alarm`;
}

interface Limit {
  readonly above: number;
  readonly periods?: number;
  readonly datapoints?: number;
  readonly periodSeconds?: number;
  readonly silence?: AlarmDefinition['silence'];
}

function own(name: string, metric: MetricName, statistic: Statistic, limit: Limit): AlarmDefinition {
  return above(name, name, { own: metric }, statistic, limit);
}

function above(
  name: string,
  runbook: string,
  metric: AlarmMetric,
  statistic: Statistic,
  { above: threshold, periods = 1, datapoints = periods, periodSeconds = MINUTE, silence = 'notBreaching' }: Limit,
): AlarmDefinition {
  return { name, runbook, metric, statistic, periodSeconds, periods, datapoints, threshold, silence };
}

function deadLetters({ name, groups }: Stage): AlarmDefinition[] {
  const lanes = groups.flatMap((group) => LANES.map((lane) => `${deadLetterName(queueName(name, group, lane))}.fifo`));
  return [...lanes, deadLetterName(wakeQueueName(name))].map((queue) => {
    const metric = { aws: 'AWS/SQS', name: 'ApproximateNumberOfMessagesVisible', resource: queue } as const;
    // SQS sends no metrics of a queue that nobody used for six hours, although its messages are still there.
    return above(`${queueAlarm(name, queue)}Letters`, 'DeadLetters', metric, 'Maximum', {
      above: 0,
      silence: 'ignore',
    });
  });
}

/**
 * The longest normal wait of a message in each lane: short for a change of a user, long for a large number of events.
 */
const OLDEST_SECONDS = { events: 10 * MINUTE, resync: 60 * MINUTE };

function backlogs({ name, groups }: Stage): AlarmDefinition[] {
  return groups.flatMap((group) =>
    LANES.map((lane) => {
      const queue = `${queueName(name, group, lane)}.fifo`;
      const metric = { aws: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage', resource: queue } as const;
      return above(`${queueAlarm(name, queue)}Backlog`, 'Backlog', metric, 'Maximum', {
        above: OLDEST_SECONDS[lane],
        periods: 3,
      });
    }),
  );
}

function queueAlarm(stage: string, queue: string): string {
  return pascalCase(queue.replace(`evenkeel-${stage}-`, '').replace('.fifo', ''));
}

function functionAlarms(stage: Stage, { key, name, part }: DeployedFunction): AlarmDefinition[] {
  const of = (metric: AwsMetricName<'AWS/Lambda'>) => ({ aws: 'AWS/Lambda', name: metric, resource: name }) as const;
  const id = pascalCase(key);
  const everyMs = scheduleMs(stage, part);
  const limit = { above: 0, ...(everyMs === 0 ? lasting(5 * MINUTE) : measuredEach(everyMs)) };
  const failing = above(`${id}Failing`, 'FunctionFailing', of('Errors'), 'Sum', limit);
  const throttled = above(`${id}Throttled`, 'FunctionThrottled', of('Throttles'), 'Sum', limit);
  // A run may take 15 minutes. Lambda counts it when it ends, at the time at which it started.
  const periodSeconds = everyMs <= 60_000 ? 5 * MINUTE : Math.max(15 * MINUTE, (2 * everyMs) / 1_000);
  if (everyMs === 0 || periodSeconds > DAY) return [failing, throttled];
  const stopped: AlarmDefinition = above(`${id}Stopped`, 'ScheduleStopped', of('Invocations'), 'Sum', {
    // No count is above this value, so only missing data raises the alarm.
    above: Number.MAX_SAFE_INTEGER,
    periodSeconds,
    silence: 'missing',
  });
  return [failing, throttled, stopped];
}

function alarm(stage: Stage, definition: AlarmDefinition, target: CfnValue): Resource {
  const { name, runbook, statistic, periodSeconds, periods, datapoints, threshold, silence } = definition;
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `evenkeel-${stage.name}-${name}`,
      AlarmDescription: `What to do: docs/operations.md, "${runbook}"`,
      ...metricProperties(stage, definition.metric),
      ...(statistic.startsWith('p') ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
      Period: periodSeconds,
      EvaluationPeriods: periods,
      DatapointsToAlarm: datapoints,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: threshold,
      TreatMissingData: silence,
      AlarmActions: [target],
      OKActions: [target],
      ...(silence === 'missing' && { InsufficientDataActions: [target] }),
    },
  };
}

function metricProperties(stage: Stage, metric: AlarmMetric): Resource['Properties'] {
  if ('own' in metric) return { Namespace: metricsNamespace(stage.name), MetricName: metric.own };
  const [dimension] = AWS_METRICS[metric.aws].dimensions;
  return {
    Namespace: metric.aws,
    MetricName: metric.name,
    Dimensions: [{ Name: dimension, Value: metric.resource }],
  };
}
