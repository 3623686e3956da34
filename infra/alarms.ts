import { metricsNamespace, pascalCase } from '../lib/deployment/cloud/cloud-names.ts';
import { deadLetterName, LANES, queueName, wakeQueueName } from '../lib/deployment/installation/resource-names.ts';
import type { MetricName } from '../lib/ports/metrics.ts';
import type { CfnValue, Resource, Resources } from './cloudformation.ts';
import { type DeployedFunction, deployedFunctions } from './deployed-functions.ts';
import { scheduleMs } from './functions.ts';
import { alarmTarget } from './notifications.ts';
import type { Stage } from './stage.ts';
import { AWS_METRICS, type AwsMetricName, type AwsNamespace, type Statistic } from './widget-metrics.ts';

/** What an alarm watches: one of our metrics over all its series, or one of AWS' for one resource. */
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
  /** The heading in docs/operations.md that says what to do. */
  readonly runbook: string;
  readonly metric: AlarmMetric;
  readonly statistic: Statistic;
  readonly periodSeconds: number;
  /** How many of the last `periods` are above the threshold when it goes off. */
  readonly datapoints: number;
  readonly periods: number;
  readonly threshold: number;
  /**
   * What a period without data means. `notBreaching`: all is well, because the metric has no zeros. `ignore`: nothing, the
   * alarm stays as it is. `missing`: the metric stopped, which is the trouble itself; a stage that was just deployed has no
   * data yet and sends nothing.
   */
  readonly silence: 'notBreaching' | 'ignore' | 'missing';
}

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/**
 * What needs a person, and nothing else. None uses metric math. Each period is at least as long as the time between two
 * measurements while the fault lasts, and no alarm asks for every period: a schedule is late by some seconds at times, and
 * then a period has no data.
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
    // Where nothing changes only resync looks at the Lease.
    own('DeploymentConflict', 'DeploymentConflict', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    own('TableThrottled', 'TableThrottled', 'Sum', { above: 0, ...lasting(5 * MINUTE) }),
    ...deadLetters(stage),
    ...backlogs(stage),
    ...deployedFunctions(stage).flatMap((deployed) => functionAlarms(stage, deployed)),
  ];
}

/** Trouble that shows in two of three periods: what is over after one needs nobody. */
function lasting(periodSeconds: number): Pick<Limit, 'periodSeconds' | 'periods' | 'datapoints'> {
  // CloudWatch looks back a day at most.
  if (3 * periodSeconds > DAY) return { periodSeconds: Math.min(periodSeconds, DAY), periods: 1, datapoints: 1 };
  return { periodSeconds, periods: 3, datapoints: 2 };
}

/** For what is measured at each run of a schedule. @param everyMs 0 for none. */
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
    // SQS measures no queue that nobody touched for six hours: its letters are there all the same.
    return above(`${queueAlarm(name, queue)}Letters`, 'DeadLetters', metric, 'Maximum', {
      above: 0,
      silence: 'ignore',
    });
  });
}

/** A user's change waits this long at most; a flood may take its time. */
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
  // A run may take 15 minutes, and Lambda counts it when it ends, under the time at which it began.
  const periodSeconds = everyMs <= 60_000 ? 5 * MINUTE : Math.max(15 * MINUTE, (2 * everyMs) / 1_000);
  if (everyMs === 0 || periodSeconds > DAY) return [failing, throttled];
  const stopped: AlarmDefinition = above(`${id}Stopped`, 'ScheduleStopped', of('Invocations'), 'Sum', {
    // No count is above it: only silence tells.
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
