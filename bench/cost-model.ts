import type { CountedOutcome, RequestCounts } from './request-counts.ts';

/**
 * List prices in US dollars, us-east-1, on demand, without free tiers; for a million unless the comment says otherwise.
 */
export const PRICES = {
  /** Writes of up to 1 KB. A write of an index counts as one more. */
  tableWrite: 0.625,
  /** Strongly consistent reads of up to 4 KB. */
  tableRead: 0.125,
  fifoRequest: 0.5,
  standardRequest: 0.4,
  invocation: 0.2,
  /** arm64, per GB-second. */
  gbSecond: 0.0000133334,
  /** For each GB that CloudWatch Logs receives. */
  logGb: 0.5,
  /** For a month: one alarm, one series of a metric, one dashboard, one secret. */
  alarm: 0.1,
  series: 0.3,
  dashboard: 3,
  secret: 0.4,
  /** Fargate for arm64, for an hour. */
  podVcpu: 0.03238,
  podGb: 0.00356,
  /** For an hour: an interface endpoint in one availability zone, a NAT gateway. Their price for each GB is left out. */
  interfaceEndpoint: 0.01,
  natGateway: 0.045,
} as const;

export interface CostAssumptions {
  /** The memory of the reconcile function. */
  readonly memoryGb: number;
  /** The billed time of one pass, mostly the wait for the API server. */
  readonly passSeconds: number;
  /** The number of messages that share one send, receive, delete and invocation. */
  readonly messagesPerBatch: number;
  /** The size of table items in KB. The cost of a write is rounded up to whole KB. */
  readonly itemKb: number;
  /** The log output of a pass, with its metrics. */
  readonly logKb: number;
}

/** Each message comes alone, as when little happens. Messages that come together share the cost of a batch. */
export const ASSUMPTIONS: CostAssumptions = {
  memoryGb: 0.5,
  passSeconds: 0.1,
  messagesPerBatch: 1,
  itemKb: 1,
  logKb: 1.3,
};

/** The cost of a million handled messages with one outcome, in dollars. */
export function costPerMillion(counts: RequestCounts, assumed: CostAssumptions = ASSUMPTIONS): number {
  const writes = (counts.tableWrites * Math.ceil(assumed.itemKb) + counts.indexWrites) * PRICES.tableWrite;
  const reads = counts.tableReads * PRICES.tableRead;
  // Send, receive and delete of the message that caused the pass, and the same three requests for the delayed wake.
  const message = (3 / assumed.messagesPerBatch) * PRICES.fifoRequest;
  const wakes = counts.queueRequests * (3 * PRICES.standardRequest + PRICES.invocation);
  const compute =
    PRICES.invocation / assumed.messagesPerBatch + assumed.passSeconds * assumed.memoryGb * PRICES.gbSecond * 1_000_000;
  return writes + reads + message + wakes + compute + assumed.logKb * PRICES.logGb;
}

export interface IdleMonth {
  readonly resources: number;
  /** Each item of the bill, in dollars a month. */
  readonly items: Readonly<Record<string, number>>;
  readonly total: number;
}

/** A query is billed by the total size in units of 4 KB, so several small items share a unit. */
const ITEMS_A_READ_UNIT = 4;
const MINUTES_A_MONTH = 30 * 24 * 60;
/** Lambda polls a queue with five long polls of 20 s. */
const POLLS_A_MINUTE = 5 * 3;
const MILLION = 1_000_000;

/** What a deployment has and does while nothing changes: settings of its stage, and counted requests. */
export interface IdleDeployment {
  readonly clusters: number;
  /** In all clusters together. */
  readonly resources: number;
  readonly targetResyncHours: number;
  readonly resyncMinutes: number;
  /** How often the resync function runs, even if it only renews Leases. */
  readonly leaseMinutes: number;
  readonly alarms: number;
  /** Series of metrics that are written while nothing happens. */
  readonly series: number;
  /** The memory of the relay function; undefined when a pod runs the relay. */
  readonly relayGb: number | undefined;
  /** The share of a shift during which the relief stands by as well. */
  readonly reliefShare: number;
  /** How functions in private subnets reach AWS; undefined without `cloud.vpc`. */
  readonly network?: 'endpoints' | 'nat';
  readonly counted: IdleCounts;
}

/** Requests to the table, counted on the engine. */
export interface IdleCounts {
  /** Queries of one sweep that find nothing; each costs half a read unit. */
  readonly sweepQueries: number;
  /** Reads of one sweep for one cluster, to check whether its relay is silent. */
  readonly silenceReads: number;
  /** Writes of the relay of one cluster in a minute. */
  readonly relayWritesPerMinute: number;
  /** Pages of the inventory that one comparison of an empty table requests. */
  readonly inventoryQueries: number;
}

/** Billed seconds of a run: a sweep, a check of a relay that has its hold, and a renewal of Leases. */
const SWEEP_SECONDS = 0.2;
const SPARE_SECONDS = 0.1;
const RENEWAL_SECONDS = 1;
const SWEEP_GB = 0.25;
/** For each cluster: one line of each of three kinds, by the relay and by the sweep. */
const IDLE_LINES_PER_MINUTE = 6;
const IDLE_LINE_KB = 0.3;
/** A comparison lists this many objects a second, in pages of 500, with 1 GB. */
const LISTED_PER_SECOND = 1_000;

/**
 * The cost of a month in which nothing changes, with one controller group: the schedules, the relay, resync, each
 * target's own resync pass, and the monitoring. @param noop the requests of a pass that changes nothing.
 */
export function idleMonth(noop: RequestCounts, idle: IdleDeployment): IdleMonth {
  const { clusters, resources, counted, relayGb } = idle;
  const passes = resources * ((30 * 24) / idle.targetResyncHours);
  const compares = MINUTES_A_MONTH / idle.resyncMinutes;
  const renewals = MINUTES_A_MONTH / idle.leaseMinutes;
  const sweepReads = counted.sweepQueries / 2 + clusters * counted.silenceReads;
  const inventoryReads = resources / ITEMS_A_READ_UNIT + (clusters * counted.inventoryQueries) / 2;
  const items = {
    'resync passes of the targets': (passes / MILLION) * costPerMillion({ ...noop, indexWrites: 1 }),
    'sweep: one query a shard each minute, and a look at the relay':
      (MINUTES_A_MONTH / MILLION) * (sweepReads * PRICES.tableRead + PRICES.invocation) +
      MINUTES_A_MONTH * SWEEP_SECONDS * SWEEP_GB * PRICES.gbSecond,
    'relay: a function that always runs': relayGb === undefined ? 0 : relayMonth(relayGb, idle.reliefShare),
    'relay: leases, checkpoints, counters':
      ((MINUTES_A_MONTH * clusters * counted.relayWritesPerMinute) / MILLION) * PRICES.tableWrite,
    'resync: inventory reads, Leases':
      ((compares * inventoryReads) / MILLION) * PRICES.tableRead +
      (compares * (resources / LISTED_PER_SECOND) + renewals * RENEWAL_SECONDS) * PRICES.gbSecond,
    'event sources polling empty queues':
      ((POLLS_A_MINUTE * MINUTES_A_MONTH) / MILLION) * (2 * PRICES.fifoRequest + PRICES.standardRequest),
    'log: metrics of relay and sweep':
      ((MINUTES_A_MONTH * clusters * IDLE_LINES_PER_MINUTE * IDLE_LINE_KB) / MILLION) * PRICES.logGb,
    'alarms, dashboard': idle.alarms * PRICES.alarm + PRICES.dashboard,
    metrics: idle.series * PRICES.series,
    'private subnets: interface endpoints in two zones, or a NAT gateway': networkMonth(idle.network),
  };
  return { resources, items, total: Object.values(items).reduce((sum, item) => sum + item, 0) };
}

/** SQS, Parameter Store, Secrets Manager and STS. DynamoDB has a gateway endpoint, which is free. */
const INTERFACE_ENDPOINTS = 4;
const ZONES = 2;

function networkMonth(network: IdleDeployment['network']): number {
  if (network === undefined) return 0;
  const anHour = network === 'nat' ? PRICES.natGateway : INTERFACE_ENDPOINTS * ZONES * PRICES.interfaceEndpoint;
  return (MINUTES_A_MONTH / 60) * anHour;
}

/**
 * Shifts follow each other, the relief of each one stands by for a while, and an invocation each minute checks whether
 * it is needed.
 */
function relayMonth(relayGb: number, reliefShare: number): number {
  const seconds = MINUTES_A_MONTH * (60 * (1 + reliefShare) + SPARE_SECONDS);
  return seconds * relayGb * PRICES.gbSecond + (MINUTES_A_MONTH / MILLION) * PRICES.invocation;
}

/** The cost of a month of a controller that always runs, as pods on Fargate. */
export function podMonth(pods: number, vcpu: number, gb: number): number {
  return pods * 30 * 24 * (vcpu * PRICES.podVcpu + gb * PRICES.podGb);
}

export type OutcomeCosts = Readonly<Record<CountedOutcome, number>>;
