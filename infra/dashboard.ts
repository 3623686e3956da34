import {
  deadLetterName,
  LANES,
  queueName,
  tableName,
  wakeQueueName,
} from '../lib/deployment/installation/resource-names.ts';
import type { MetricName } from '../lib/ports/metrics.ts';
import { dashboardName } from './account-names.ts';
import { alarmDefinitions, alarmId } from './alarms.ts';
import { type Resources, substitute } from './cloudformation.ts';
import { deployedFunctions } from './deployed-functions.ts';
import { type LogQuery, logQuery } from './log-query.ts';
import type { Stage } from './stage.ts';
import {
  type AwsMetricName,
  type AwsNamespace,
  awsSeries,
  ownSeries,
  type Statistic,
  type WidgetMetric,
} from './widget-metrics.ts';

const FULL_WIDTH = 24;
const COLUMNS = 3;
const GRAPH_HEIGHT = 6;
const TITLE_HEIGHT = 1;

interface Graph {
  readonly title: string;
  readonly shows: { readonly metrics: readonly WidgetMetric[] } | LogQuery;
}

interface Section {
  readonly title: string;
  readonly graphs: readonly Graph[];
}

/**
 * The dashboard of a stage: whether it works, how much it does, what it costs, and where to look when it does not work.
 */
export function dashboard(stage: Stage): Resources {
  const body = { widgets: [...alarmWidget(stage), ...layOut(sections(stage))] };
  return {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: { DashboardName: dashboardName(stage), DashboardBody: substitute(JSON.stringify(body)) },
    },
  };
}

/** All graphs. A test compares their metrics with those that the code records. */
export function sections(stage: Stage): Section[] {
  const logGroups = deployedFunctions(stage).map(({ name }) => `/aws/lambda/${name}`);
  const own = (title: string, statistic: Statistic, ...names: MetricName[]): Graph => ({
    title,
    shows:
      stage.cloud.metrics === 'all'
        ? { metrics: names.map((name) => ownSeries(stage.name, name, statistic)) }
        : logQuery(logGroups, names, statistic),
  });
  const perQueue = (title: string, name: AwsMetricName<'AWS/SQS'>, statistic: Statistic, queues: string[]) =>
    aws(title, 'AWS/SQS', name, statistic, queues);
  const functions = deployedFunctions(stage).map(({ name }) => name);
  const lanes = stage.groups.flatMap((group) => LANES.map((lane) => queueName(stage.name, group, lane)));
  const wakes = wakeQueueName(stage.name);
  const queues = [...lanes.map((name) => `${name}.fifo`), wakes];
  const dead = [...lanes.map((name) => `${deadLetterName(name)}.fifo`), deadLetterName(wakes)];
  return [
    {
      title: 'Health',
      graphs: [
        own('Event to pass, p50 (ms)', 'p50', 'EventLag'),
        own('Event to pass, p99 (ms)', 'p99', 'EventLag'),
        own('Timer to pass, p99 (ms)', 'p99', 'DeadlineLag'),
        perQueue('Oldest message (s)', 'ApproximateAgeOfOldestMessage', 'Maximum', queues),
        perQueue('Dead letters', 'ApproximateNumberOfMessagesVisible', 'Maximum', dead),
        own('Dead letters by reason', 'Sum', 'DeadLetter'),
        own('Retries by reason', 'Sum', 'Retry'),
        own('Needs attention', 'Sum', 'NeedsPerson', 'ClusterRefused', 'DeploymentConflict', 'UnhandledError'),
        own('Ready transitions by reason', 'Sum', 'ConditionTransition'),
      ],
    },
    {
      title: 'Throughput',
      graphs: [
        own('Passes by outcome', 'Sum', 'PassOutcome'),
        own('Duration of a pass, p99 (ms)', 'p99', 'PassDuration'),
        own('Events without a pass', 'Sum', 'EventCovered', 'EventHeld'),
        own('Watch events, and events sent for them', 'Sum', 'RelayEvent', 'RelaySent'),
        own('Timers sent by wakes and by the sweep', 'Sum', 'WakeSent', 'SweepSent'),
        own('Changes found by polling', 'Sum', 'PollChanged'),
        own('Unreadable objects and items', 'Sum', 'Unreadable'),
        own('Changes with many readers: rounds started, put off', 'Sum', 'FanoutRound', 'FanoutPutOff'),
        own('Events sent by rounds', 'Sum', 'FanoutTold'),
      ],
    },
    {
      title: 'Costs',
      graphs: [
        aws('Invocations', 'AWS/Lambda', 'Invocations', 'Sum', functions),
        aws('Total duration of functions (ms)', 'AWS/Lambda', 'Duration', 'Sum', functions),
        perQueue('Messages sent', 'NumberOfMessagesSent', 'Sum', queues),
        perQueue('Messages received', 'NumberOfMessagesReceived', 'Sum', queues),
        aws('Table writes (units)', 'AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'Sum', [tableName(stage.name)]),
        aws('Table reads (units)', 'AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'Sum', [tableName(stage.name)]),
      ],
    },
    {
      title: 'Leases and conflicts',
      graphs: [
        own('Leases taken over, leases lost, passes that died', 'Sum', 'LeaseTakeover', 'LeaseLost', 'CrashedPass'),
        own('Conflicts of writes', 'Sum', 'Conflict'),
        own('Passes put off by the rate limit', 'Sum', 'RateLimited'),
      ],
    },
    {
      title: 'Clusters and relays',
      graphs: [
        own('Relay activity by cluster and kind', 'Sum', 'RelayHeartbeat'),
        own('Time since the relay recorded progress (s)', 'Maximum', 'RelaySilence'),
        own('Ended watches by reason', 'Sum', 'RelayReconnect'),
        own(
          'Passes put off, and all failures, because the cluster does not answer',
          'Sum',
          'BreakerOpen',
          'ClusterUnanswered',
        ),
        own('Clusters restored from a backup', 'Sum', 'ClusterRestored'),
        own('Differences found by resync; found twice: drift', 'Sum', 'ResyncFound', 'ResyncDrift'),
      ],
    },
    {
      title: 'Functions and table',
      graphs: [
        aws('Errors', 'AWS/Lambda', 'Errors', 'Sum', functions),
        aws('Throttled invocations', 'AWS/Lambda', 'Throttles', 'Sum', functions),
        aws('Concurrent executions', 'AWS/Lambda', 'ConcurrentExecutions', 'Maximum', functions),
        own('Throttled requests to the table, by operation', 'Sum', 'TableThrottled'),
      ],
    },
  ];
}

function aws<Namespace extends AwsNamespace>(
  title: string,
  namespace: Namespace,
  name: AwsMetricName<Namespace>,
  statistic: Statistic,
  resources: readonly string[],
): Graph {
  return { title, shows: { metrics: resources.map((resource) => awsSeries(namespace, name, resource, statistic)) } };
}

function alarmWidget(stage: Stage): object[] {
  const alarms = alarmDefinitions(stage).map(({ name }) => `\${${alarmId(name)}.Arn}`);
  return [
    {
      type: 'alarm',
      x: 0,
      y: 0,
      width: FULL_WIDTH,
      height: 3,
      properties: { title: `evenkeel ${stage.name}`, alarms },
    },
  ];
}

/** Puts the sections below each other, with their graphs in rows. */
function layOut(all: readonly Section[]): object[] {
  const width = FULL_WIDTH / COLUMNS;
  const widgets: object[] = [];
  let y = 3;
  for (const { title, graphs } of all) {
    widgets.push({
      type: 'text',
      x: 0,
      y,
      width: FULL_WIDTH,
      height: TITLE_HEIGHT,
      properties: { markdown: `## ${title}` },
    });
    y += TITLE_HEIGHT;
    graphs.forEach(({ title: name, shows }, index) => {
      widgets.push({
        type: 'query' in shows ? 'log' : 'metric',
        x: (index % COLUMNS) * width,
        y: y + Math.floor(index / COLUMNS) * GRAPH_HEIGHT,
        width,
        height: GRAPH_HEIGHT,
        properties: { title: name, region: `\${AWS::Region}`, ...graphProperties(shows) },
      });
    });
    y += Math.ceil(graphs.length / COLUMNS) * GRAPH_HEIGHT;
  }
  return widgets;
}

function graphProperties(shows: Graph['shows']): object {
  return 'query' in shows ? shows : { view: 'timeSeries', period: 60, metrics: shows.metrics };
}
