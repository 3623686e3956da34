/** A quota of a service, and the page of its vendor that says so. Read in November 2026. */
export interface Quota {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly page: string;
  /** Whether the vendor raises it for an account that asks. */
  readonly raised: boolean;
}

const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg';
const DYNAMODB = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const KUBERNETES = 'https://kubernetes.io/docs/reference/command-line-tools-reference';

/** Where a quota depends on the region, that of us-east-1. */
export const QUOTAS = {
  fifoRequests: {
    what: 'FIFO queue without high throughput, each action',
    value: 300,
    unit: 'requests/s',
    page: `${SQS}/quotas-messages.html`,
    raised: false,
  },
  fifoHighThroughput: {
    what: 'FIFO queue with high throughput, each action (19,000 in Frankfurt and Ohio, less elsewhere)',
    value: 70_000,
    unit: 'requests/s',
    page: `${SQS}/quotas-messages.html`,
    raised: true,
  },
  fifoInFlight: {
    what: 'messages in flight of a FIFO queue',
    value: 120_000,
    unit: 'messages',
    page: `${SQS}/quotas-fifo.html`,
    raised: true,
  },
  fifoSearched: {
    what: 'first messages of a FIFO queue that are searched for message groups',
    value: 120_000,
    unit: 'messages',
    page: `${SQS}/avoid-backlog-with-the-same-message-group-id.html`,
    raised: false,
  },
  firstBatches: {
    what: 'batches that an event source starts with',
    value: 5,
    unit: 'batches',
    page: `${LAMBDA}/services-sqs-scaling.html`,
    raised: false,
  },
  moreBatches: {
    what: 'batches more that run at the same time, each minute',
    value: 300,
    unit: 'batches/min',
    page: `${LAMBDA}/services-sqs-scaling.html`,
    raised: false,
  },
  accountExecutions: {
    what: 'concurrent executions of an account',
    value: 1_000,
    unit: 'executions',
    page: `${LAMBDA}/gettingstarted-limits.html`,
    raised: true,
  },
  partitionWrites: {
    what: 'writes of a partition of a table or an index',
    value: 1_000,
    unit: 'units/s',
    page: `${DYNAMODB}/warm-throughput-scenarios.html`,
    raised: false,
  },
  partitionReads: {
    what: 'reads of a partition of a table or an index',
    value: 3_000,
    unit: 'units/s',
    page: `${DYNAMODB}/warm-throughput-scenarios.html`,
    raised: false,
  },
  newTableWrites: {
    what: 'writes of a new table on demand; twice the last peak within 30 minutes after that',
    value: 4_000,
    unit: 'units/s',
    page: `${DYNAMODB}/warm-throughput-scenarios.html`,
    raised: false,
  },
  tableWrites: {
    what: 'writes of a table on demand',
    value: 40_000,
    unit: 'units/s',
    page: `${DYNAMODB}/ServiceQuotas.html`,
    raised: true,
  },
  parameterReads: {
    what: 'GetParametersByPath and its like',
    value: 40,
    unit: 'requests/s',
    page: 'https://docs.aws.amazon.com/general/latest/gr/ssm.html',
    raised: true,
  },
  apiServerReads: {
    what: 'reads that a kube-apiserver handles at the same time, by default',
    value: 400,
    unit: 'requests',
    page: `${KUBERNETES}/kube-apiserver/`,
    raised: true,
  },
  apiServerWrites: {
    what: 'writes that a kube-apiserver handles at the same time, by default',
    value: 200,
    unit: 'requests',
    page: `${KUBERNETES}/kube-apiserver/`,
    raised: true,
  },
} as const satisfies Record<string, Quota>;
