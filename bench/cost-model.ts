import type { CountedOutcome, RequestCounts } from './request-counts.ts';

/** List prices in US dollars, us-east-1, on demand, without free tiers; per million unless it says otherwise. */
export const PRICES = {
  /** Writes of up to 1 KB; an index write counts as one more. */
  tableWrite: 0.625,
  /** Strongly consistent reads of up to 4 KB. */
  tableRead: 0.125,
  fifoRequest: 0.5,
  standardRequest: 0.4,
  invocation: 0.2,
  /** arm64, per GB-second. */
  gbSecond: 0.0000133334,
  /** Per GB that CloudWatch Logs takes in. */
  logGb: 0.5,
  /** A month: one alarm, one series of a metric, one dashboard, one secret. */
  alarm: 0.1,
  series: 0.3,
  dashboard: 3,
  secret: 0.4,
  /** Fargate for arm64, an hour. */
  podVcpu: 0.03238,
  podGb: 0.00356,
} as const;

export interface CostAssumptions {
  /** Of the reconcile function. */
  readonly memoryGb: number;
  /** Billed time of one pass, mostly waiting for the API server. */
  readonly passSeconds: number;
  /** Messages that share one send, receive, delete and invocation. */
  readonly messagesPerBatch: number;
  /** Table items take up to this many KB: what a write costs is rounded up to whole KB. */
  readonly itemKb: number;
  /** What a pass logs, its metrics among it. */
  readonly logKb: number;
}

/** Each message alone, as they come while little happens: those that come together share what a batch costs. */
export const ASSUMPTIONS: CostAssumptions = {
  memoryGb: 0.5,
  passSeconds: 0.1,
  messagesPerBatch: 1,
  itemKb: 1,
  logKb: 1.3,
};

/** Dollars for a million handled messages of one outcome. */
export function costPerMillion(counts: RequestCounts, assumed: CostAssumptions = ASSUMPTIONS): number {
  const writes = (counts.tableWrites * Math.ceil(assumed.itemKb) + counts.indexWrites) * PRICES.tableWrite;
  const reads = counts.tableReads * PRICES.tableRead;
  // Send, receive and delete of the message that caused the pass, and the delayed wake with its own three.
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

/** Queries are billed by 4 KB read together, so that several small items share a unit. */
const ITEMS_A_READ_UNIT = 4;
const MINUTES_A_MONTH = 30 * 24 * 60;
/** Lambda polls a queue with five long polls of 20 s. */
const POLLS_A_MINUTE = 5 * 3;
const MILLION = 1_000_000;

export interface IdleDeployment {
  readonly resources: number;
  readonly targetResyncHours: number;
  readonly resyncMinutes: number;
  readonly shards: number;
  /** That the relay watches. */
  readonly kinds: number;
  readonly alarms: number;
  /** Series of metrics that are written while nothing happens. */
  readonly series: number;
  /** Memory of the relay function. */
  readonly relayGb: number;
}

/**
 * A month in which nothing changes, with one cluster and one controller group: the schedules, the relay as a function that
 * always runs, resync, each target's own resync pass, and what looks at it all. @param noop what a pass costs that changes
 * nothing.
 */
export function idleMonth(noop: RequestCounts, idle: IdleDeployment): IdleMonth {
  const { resources, targetResyncHours, resyncMinutes, shards, kinds } = idle;
  const passes = resources * ((30 * 24) / targetResyncHours);
  const resyncs = MINUTES_A_MONTH / resyncMinutes;
  const sweepReads = shards / 2 + kinds + 1;
  const items = {
    'resync passes of the targets': (passes / MILLION) * costPerMillion({ ...noop, indexWrites: 1 }),
    'sweep: one query a shard each minute, and a look at the relay':
      (MINUTES_A_MONTH / MILLION) * (sweepReads * PRICES.tableRead + PRICES.invocation) +
      MINUTES_A_MONTH * 0.2 * 0.25 * PRICES.gbSecond,
    'relay: a function that always runs': MINUTES_A_MONTH * 60 * idle.relayGb * PRICES.gbSecond,
    'relay: leases, checkpoints, counters': ((MINUTES_A_MONTH * (6 + kinds)) / MILLION) * PRICES.tableWrite,
    'resync: inventory reads':
      ((resyncs * resources) / ITEMS_A_READ_UNIT / MILLION) * PRICES.tableRead + resyncs * 10 * PRICES.gbSecond,
    'event sources polling empty queues':
      ((POLLS_A_MINUTE * MINUTES_A_MONTH) / MILLION) * (2 * PRICES.fifoRequest + PRICES.standardRequest),
    'alarms, dashboard': idle.alarms * PRICES.alarm + PRICES.dashboard,
    metrics: idle.series * PRICES.series,
  };
  return { resources, items, total: Object.values(items).reduce((sum, item) => sum + item, 0) };
}

/** A month of a controller that always runs: so many pods on Fargate. */
export function podMonth(pods: number, vcpu: number, gb: number): number {
  return pods * 30 * 24 * (vcpu * PRICES.podVcpu + gb * PRICES.podGb);
}

export type OutcomeCosts = Readonly<Record<CountedOutcome, number>>;
