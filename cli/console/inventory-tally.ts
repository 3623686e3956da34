import { readHistory } from '../../lib/core/pass-history.ts';
import { kindId } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import type { Inspection } from '../inspection/inspection.ts';
import type { KindCount, ObjectRow, ObjectState, Overview } from './api-types.ts';
import { FirstItems } from './inventory-scan.ts';

const SHOWN_FAILING = 10;
const SHOWN_DEADLINES = 8;
const WINDOW_MS = 60_000;
/** Enough for a median, for any number of passes. */
const MAX_DELAYS = 10_000;

/** What the overview shows of all objects together. */
export type Tallied = Pick<Overview, 'readAt' | 'kinds' | 'passes' | 'failing' | 'nextDeadlines'>;

/** Counts objects one by one. It keeps a fixed number of them. */
export class InventoryTally {
  readonly #inspection: Inspection;
  readonly #nowMs: number;
  readonly #kinds = new Map<string, { kind: string; total: number; counts: Partial<Record<ObjectState, number>> }>();
  readonly #failing = new FirstItems<ObjectRow>(SHOWN_FAILING, (a, b) => order(b.lastPassAt, a.lastPassAt));
  readonly #next = new FirstItems<ObjectRow>(SHOWN_DEADLINES, (a, b) => order(a.nextAt, b.nextAt));
  readonly #delaysMs: number[] = [];
  #passes = 0;

  constructor(inspection: Inspection) {
    this.#inspection = inspection;
    this.#nowMs = inspection.clock.now();
    for (const { type } of inspection.kinds) this.#kinds.set(kindId(type), { kind: type.kind, total: 0, counts: {} });
  }

  add(target: TargetState, row: ObjectRow): void {
    const kind = this.#kinds.get(row.kindId);
    if (kind !== undefined) {
      kind.total += 1;
      kind.counts[row.counted] = (kind.counts[row.counted] ?? 0) + 1;
    }
    if (row.failing) this.#failing.offer(row);
    if (row.nextAt !== undefined) this.#next.offer(row);
    if (target.lastOutcome === undefined || target.lastOutcome.atMs < this.#nowMs - WINDOW_MS) return;
    for (const { startedAtMs, queueDelayMs } of readHistory(target.pastPasses)) {
      if (startedAtMs < this.#nowMs - WINDOW_MS) break;
      this.#passes += 1;
      if (this.#delaysMs.length < MAX_DELAYS) this.#delaysMs.push(queueDelayMs);
    }
  }

  result(): Tallied {
    const delays = this.#delaysMs.sort((a, b) => a - b);
    const median = delays[Math.floor(delays.length / 2)];
    const highest = delays.at(-1);
    return {
      readAt: rfc3339(this.#nowMs),
      kinds: [...this.#kinds].map(([id, counted]): KindCount => {
        return { ...counted, kindId: id, group: this.#inspection.registry.controllerOf(id)?.group ?? '' };
      }),
      passes: {
        lastMinute: this.#passes,
        perSecond: Math.round((this.#passes * 10) / 60) / 10,
        ...(median !== undefined && highest !== undefined && { queueDelayMs: { median, highest } }),
      },
      failing: this.#failing.sorted(),
      nextDeadlines: this.#next.sorted(),
    };
  }
}

function order(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
