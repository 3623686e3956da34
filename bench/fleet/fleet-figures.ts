import type { KindId } from '../../lib/core/resource-type.ts';
import type { PassReport } from '../../lib/engine/pass/pass-report.ts';
import type { LogFields, Logger } from '../../lib/ports/logger.ts';
import type { MetricName, Metrics } from '../../lib/ports/metrics.ts';
import { type Spread, spread } from '../statistics.ts';

/** How many of each thing. */
export type Counts = Record<string, number>;

/** What a part of the simulated time brought. */
export interface PhaseFigures {
  readonly name: string;
  /** Of simulated time. */
  readonly seconds: number;
  /** Handled messages by how they ended: `committed`, `covered`, ... */
  readonly ends: Counts;
  /** Committed passes by the cause of their message. */
  readonly causes: Counts;
  /** From a user's edit to the end of the pass that saw it, ms. */
  readonly editMs: Spread;
  /** Messages of a lane that wait or are in flight, at most. */
  readonly backlog: { readonly events: number; readonly resync: number };
  /**
   * Requests to the table, by who sent them: `passes write`, `relay read`, ... `index`: writes that moved a timer, which write the
   * index as well.
   */
  readonly table: Counts;
  /** Requests to the FIFO queues by operation. Receives that return nothing are left out. */
  readonly fifo: Counts;
  /** The same of the queue of wakes. */
  readonly wakes: Counts;
  /** Requests to API servers by verb. */
  readonly api: Counts;
  /** Sum of the metrics that count. */
  readonly metrics: Counts;
  /** Lines of the log at level warn or error, by message. */
  readonly log: Counts;
}

type Group = 'ends' | 'causes' | 'table' | 'fifo' | 'wakes' | 'api' | 'metrics' | 'log';

/** Counts everything that happens, phase by phase. */
export class FleetFigures {
  readonly phases: PhaseFigures[] = [];
  readonly #nowMs: () => number;
  /** When an object was edited that no pass has seen since, by UID; the oldest edit is the first. */
  readonly #unseen = new Map<string, number>();
  #counts = emptyCounts();
  #edits: number[] = [];
  #backlog = { events: 0, resync: 0 };
  #startedMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  count(group: Group, what: string, by = 1): void {
    const counts = this.#counts[group];
    counts[what] = (counts[what] ?? 0) + by;
  }

  edited(uid: string): void {
    if (!this.#unseen.has(uid)) this.#unseen.set(uid, this.#nowMs());
  }

  /** When the oldest edit was made that no pass has seen, epoch ms. */
  get oldestUnseenMs(): number | undefined {
    const [oldest] = this.#unseen.values();
    return oldest;
  }

  /** @param readMs how long a read takes: a pass reads nothing sooner after its start. */
  passed({ end, cause, target, startedAtMs, attempts }: PassReport, readMs: number): void {
    this.count('ends', end);
    if (end !== 'committed') return;
    this.count('causes', cause);
    const editedMs = this.#unseen.get(target.uid);
    // A pass that read before the edit has not seen it, unless its event made the pass run again.
    if (editedMs === undefined || (attempts === 1 && startedAtMs + readMs < editedMs)) return;
    this.#unseen.delete(target.uid);
    this.#edits.push(this.#nowMs() - editedMs);
  }

  waiting(events: number, resync: number): void {
    this.#backlog = { events: Math.max(this.#backlog.events, events), resync: Math.max(this.#backlog.resync, resync) };
  }

  /** Ends the present phase under this name. The next one begins. */
  endPhase(name: string): PhaseFigures {
    const nowMs = this.#nowMs();
    const phase: PhaseFigures = {
      name,
      seconds: (nowMs - this.#startedMs) / 1_000,
      ...this.#counts,
      editMs: spread(this.#edits),
      backlog: this.#backlog,
    };
    this.phases.push(phase);
    this.#counts = emptyCounts();
    this.#edits = [];
    this.#backlog = { events: 0, resync: 0 };
    this.#startedMs = nowMs;
    return phase;
  }
}

function emptyCounts(): Record<Group, Counts> {
  return { ends: {}, causes: {}, table: {}, fifo: {}, wakes: {}, api: {}, metrics: {}, log: {} };
}

/** Counts what is recorded, and keeps nothing else of it. */
export function countedMetrics(figures: FleetFigures): Metrics {
  return { record: (name: MetricName, value: number) => figures.count('metrics', name, value) };
}

/** Counts lines that show trouble, and keeps nothing else of them. */
export function countedLogger(figures: FleetFigures): Logger {
  const told = (message: string, _fields?: LogFields) => figures.count('log', message);
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: told,
    error: (message) => told(message),
    with: () => logger,
  };
  return logger;
}

/** Names a request to an API server. */
export function requestName(verb: string, kind: KindId): string {
  return `${verb} ${kind}`;
}
