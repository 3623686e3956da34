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

/** What a deployment does and has while nothing changes: settings of its stage, and requests that were counted. */
export interface IdleDeployment {
  readonly clusters: number;
  /** In all clusters together. */
  readonly resources: number;
  readonly targetResyncHours: number;
  readonly resyncMinutes: number;
  /** How often the resync function runs, be it to renew Leases alone. */
  readonly leaseMinutes: number;
  readonly alarms: number;
  /** Series of metrics that are written while nothing happens. */
  readonly series: number;
  /** Memory of the relay function; undefined where a pod relays. */
  readonly relayGb: number | undefined;
  /** Share of a shift for which the relief stands by as well. */
  readonly reliefShare: number;
  readonly counted: IdleCounts;
}

/** Requests to the table, counted on the engine. */
export interface IdleCounts {
  /** Queries of one sweep that find nothing, each half a read unit. */
  readonly sweepQueries: number;
  /** Reads of one cluster by one sweep, to see whether its relay is silent. */
  readonly silenceReads: number;
  /** Writes of the relay of one cluster in a minute. */
  readonly relayWritesPerMinute: number;
  /** Pages of the inventory that one comparison of an empty table asks for. */
  readonly inventoryQueries: number;
}

/** Billed seconds of a run: a sweep, a look at a relay that is held, and a renewal of Leases. */
const SWEEP_SECONDS = 0.2;
const SPARE_SECONDS = 0.1;
const RENEWAL_SECONDS = 1;
const SWEEP_GB = 0.25;
/** Of each cluster: one line of each of three kinds, by the relay and by the sweep. */
const IDLE_LINES_PER_MINUTE = 6;
const IDLE_LINE_KB = 0.3;
/** A comparison lists this many objects a second, in pages of 500, with 1 GB. */
const LISTED_PER_SECOND = 1_000;

/**
 * A month in which nothing changes, with one controller group: the schedules, the relay, resync, each target's own resync pass,
 * and what looks at it all. @param noop what a pass costs that changes nothing.
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
  };
  return { resources, items, total: Object.values(items).reduce((sum, item) => sum + item, 0) };
}

/** Shifts follow each other, the relief of each stands by for a while, and each minute an invocation looks whether it is needed. */
function relayMonth(relayGb: number, reliefShare: number): number {
  const seconds = MINUTES_A_MONTH * (60 * (1 + reliefShare) + SPARE_SECONDS);
  return seconds * relayGb * PRICES.gbSecond + (MINUTES_A_MONTH / MILLION) * PRICES.invocation;
}

/** A month of a controller that always runs: so many pods on Fargate. */
export function podMonth(pods: number, vcpu: number, gb: number): number {
  return pods * 30 * 24 * (vcpu * PRICES.podVcpu + gb * PRICES.podGb);
}

export type OutcomeCosts = Readonly<Record<CountedOutcome, number>>;
