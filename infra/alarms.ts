import { metricsNamespace } from '../lib/deployment/cloud/cloud-names.ts';
import {
  deadLetterName,
  LANES,
  queueName,
  tableName,
  wakeQueueName,
} from '../lib/deployment/installation/resource-names.ts';
import type { MetricName } from '../lib/ports/metrics.ts';
import type { CfnValue, Resource, Resources } from './cloudformation.ts';
import { pascalCase } from './cloudformation.ts';
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
  /** It goes off after that many periods in a row. */
  readonly periods: number;
  readonly comparison: 'GreaterThanThreshold' | 'LessThanThreshold';
  readonly threshold: number;
  /** Silence is all well, or is itself the trouble. */
  readonly silence: 'notBreaching' | 'breaching';
}

const MINUTE = 60;

/** What needs a person, and nothing else. None rests on metric math. */
export function alarmDefinitions(stage: Stage): AlarmDefinition[] {
  return [
    own('RelaySilent', 'RelaySilence', 'Maximum', { above: 300, periods: 3 }),
    own('LostWakeups', 'ResyncDrift', 'Sum', { above: 0, periodSeconds: 10 * MINUTE }),
    own('NeedsPerson', 'NeedsPerson', 'Sum', { above: 0, periodSeconds: 10 * MINUTE }),
    own('DeadlinesLate', 'DeadlineLag', 'p99', { above: 60_000, periods: 5 }),
    own('ClusterUnreachable', 'BreakerOpen', 'Sum', { above: 0, periods: 10 }),
    own('ClusterRefused', 'ClusterRefused', 'Sum', { above: 0, periods: 5 }),
    own('ClusterRestored', 'ClusterRestored', 'Sum', { above: 0 }),
    own('DeploymentConflict', 'DeploymentConflict', 'Sum', { above: 0, periods: 5 }),
    ...deadLetters(stage),
    ...backlogs(stage),
    ...deployedFunctions(stage).flatMap((deployed) => functionAlarms(stage, deployed)),
    ...throttles(stage),
  ];
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
  { above: threshold, periods = 1, periodSeconds = MINUTE, silence = 'notBreaching' }: Limit,
): AlarmDefinition {
  return {
    name,
    runbook,
    metric,
    statistic,
    periodSeconds,
    periods,
    comparison: 'GreaterThanThreshold',
    threshold,
    silence,
  };
}

function deadLetters({ name, groups }: Stage): AlarmDefinition[] {
  const lanes = groups.flatMap((group) => LANES.map((lane) => `${deadLetterName(queueName(name, group, lane))}.fifo`));
  return [...lanes, deadLetterName(wakeQueueName(name))].map((queue) => {
    const metric = { aws: 'AWS/SQS', name: 'ApproximateNumberOfMessagesVisible', resource: queue } as const;
    return above(`${queueAlarm(name, queue)}Letters`, 'DeadLetters', metric, 'Maximum', { above: 0 });
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
  const failing = above(`${id}Failing`, 'FunctionFailing', of('Errors'), 'Sum', { above: 0, periods: 5 });
  const throttled = above(`${id}Throttled`, 'FunctionThrottled', of('Throttles'), 'Sum', { above: 0, periods: 5 });
  const everyMs = scheduleMs(stage, part);
  // CloudWatch looks back a day at most.
  const periodSeconds = Math.max(15 * MINUTE, (3 * everyMs) / 1_000);
  if (everyMs === 0 || periodSeconds > 24 * 60 * MINUTE) return [failing, throttled];
  const stopped: AlarmDefinition = {
    ...above(`${id}Stopped`, 'ScheduleStopped', of('Invocations'), 'Sum', { above: 0, periodSeconds }),
    comparison: 'LessThanThreshold',
    threshold: 1,
    silence: 'breaching',
  };
  return [failing, throttled, stopped];
}

function throttles({ name }: Stage): AlarmDefinition[] {
  const of = (metric: AwsMetricName<'AWS/DynamoDB'>) =>
    ({ aws: 'AWS/DynamoDB', name: metric, resource: tableName(name) }) as const;
  return [
    above('TableWritesThrottled', 'TableThrottled', of('WriteThrottleEvents'), 'Sum', { above: 0, periods: 5 }),
    above('TableReadsThrottled', 'TableThrottled', of('ReadThrottleEvents'), 'Sum', { above: 0, periods: 5 }),
  ];
}

function alarm(stage: Stage, definition: AlarmDefinition, target: CfnValue): Resource {
  const { name, runbook, statistic, periodSeconds, periods, comparison, threshold, silence } = definition;
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `evenkeel-${stage.name}-${name}`,
      AlarmDescription: `What to do: docs/operations.md, "${runbook}"`,
      ...metricProperties(stage, definition.metric),
      ...(statistic.startsWith('p') ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
      Period: periodSeconds,
      EvaluationPeriods: periods,
      DatapointsToAlarm: periods,
      ComparisonOperator: comparison,
      Threshold: threshold,
      TreatMissingData: silence,
      AlarmActions: [target],
      OKActions: [target],
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
