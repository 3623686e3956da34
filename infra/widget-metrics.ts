import { metricsNamespace } from '../lib/deployment/cloud/cloud-names.ts';
import { METRICS, type MetricName } from '../lib/ports/metrics.ts';

/** A statistic of CloudWatch. */
export type Statistic = 'Sum' | 'Average' | 'Minimum' | 'Maximum' | 'SampleCount' | 'p50' | 'p99';

/** AWS' own metrics on a deployment's dashboard and in its alarms, with their AWS dimensions. */
export const AWS_METRICS = {
  'AWS/SQS': {
    dimensions: ['QueueName'],
    names: [
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesSent',
      'NumberOfMessagesReceived',
    ],
  },
  'AWS/Lambda': {
    dimensions: ['FunctionName'],
    names: ['Invocations', 'Duration', 'Errors', 'Throttles', 'ConcurrentExecutions'],
  },
  'AWS/DynamoDB': {
    dimensions: ['TableName'],
    names: ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
  },
} as const;

export type AwsNamespace = keyof typeof AWS_METRICS;
export type AwsMetricName<Namespace extends AwsNamespace> = (typeof AWS_METRICS)[Namespace]['names'][number];

/** One or more lines of a graph, in the form of CloudWatch's dashboards. */
export type WidgetMetric = readonly unknown[];

/** All series of one of our metrics, because its clusters, kinds and reasons are not known in advance. */
export function ownSeries(stage: string, name: MetricName, statistic: Statistic): WidgetMetric {
  // The namespace is quoted, because a search treats the dash in a stage's name as a separator.
  const schema = [`"${metricsNamespace(stage)}"`, ...METRICS[name].dimensions].join(',');
  const expression = `SEARCH('{${schema}} MetricName="${name}"', '${statistic}', 60)`;
  return [{ expression, id: idOf(name, statistic), label: '' }];
}

/** A metric of AWS for one queue, function or table. */
export function awsSeries<Namespace extends AwsNamespace>(
  namespace: Namespace,
  name: AwsMetricName<Namespace>,
  resource: string,
  statistic: Statistic,
): WidgetMetric {
  return [namespace, name, AWS_METRICS[namespace].dimensions[0], resource, { stat: statistic }];
}

/** Unique in a graph; it starts with a lower-case letter. */
function idOf(name: MetricName, statistic: Statistic): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}${statistic}`;
}
