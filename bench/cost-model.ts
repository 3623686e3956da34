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
}

export const ASSUMPTIONS: CostAssumptions = { memoryGb: 0.25, passSeconds: 0.1, messagesPerBatch: 1, itemKb: 1 };

/** Dollars for a million handled messages of one outcome. */
export function costPerMillion(counts: RequestCounts, assumed: CostAssumptions = ASSUMPTIONS): number {
  const writes = (counts.tableWrites * Math.ceil(assumed.itemKb) + counts.indexWrites) * PRICES.tableWrite;
  const reads = counts.tableReads * PRICES.tableRead;
  // Send, receive and delete of the message that caused the pass, and the delayed wake with its own three.
  const message = (3 / assumed.messagesPerBatch) * PRICES.fifoRequest;
  const wakes = counts.queueRequests * (3 * PRICES.standardRequest + PRICES.invocation);
  const compute =
    PRICES.invocation / assumed.messagesPerBatch + assumed.passSeconds * assumed.memoryGb * PRICES.gbSecond * 1_000_000;
  return writes + reads + message + wakes + compute;
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

/**
 * A month in which nothing changes: the schedules, the relay as a rolling function, resync, and each target's own resync
 * pass. @param noop what a pass costs that changes nothing.
 */
export function idleMonth(
  noop: RequestCounts,
  options: { resources: number; targetResyncHours: number; resyncMinutes: number; shards: number; kinds: number },
): IdleMonth {
  const { resources, targetResyncHours, resyncMinutes, shards, kinds } = options;
  const million = 1_000_000;
  const passes = resources * ((30 * 24) / targetResyncHours);
  const resyncs = MINUTES_A_MONTH / resyncMinutes;
  const relayGb = 0.25;
  const items = {
    'resync passes of the targets': (passes / million) * costPerMillion({ ...noop, indexWrites: 1 }),
    'sweep: one query a shard each minute':
      ((MINUTES_A_MONTH * shards) / million) * (PRICES.tableRead / 2) +
      (MINUTES_A_MONTH / million) * PRICES.invocation +
      MINUTES_A_MONTH * 0.2 * 0.128 * PRICES.gbSecond,
    'relay: a function that always runs': MINUTES_A_MONTH * 60 * relayGb * PRICES.gbSecond,
    'relay: leases, checkpoints, counters': ((MINUTES_A_MONTH * (6 + kinds * 1)) / million) * PRICES.tableWrite,
    'resync: inventory reads':
      ((resyncs * resources) / ITEMS_A_READ_UNIT / million) * PRICES.tableRead + resyncs * 10 * 0.5 * PRICES.gbSecond,
    'event sources polling empty queues': ((5 * 2 * 3 * MINUTES_A_MONTH) / million) * PRICES.fifoRequest,
  };
  return { resources, items, total: Object.values(items).reduce((sum, item) => sum + item, 0) };
}

export type OutcomeCosts = Readonly<Record<CountedOutcome, number>>;
