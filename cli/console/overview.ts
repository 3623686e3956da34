import { readHistory } from '../../lib/core/pass-history.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import { isBreakerOpen } from '../../lib/engine/breaker/is-breaker-open.ts';
import type { ClusterState, TargetState } from '../../lib/ports/state-store.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import type { Inspection } from '../inspection/inspection.ts';
import { stageDeadLetters } from '../inspection/stage-dead-letters.ts';
import type { ClusterSummary, KindCount, ObjectRow, ObjectState, Overview } from './api-types.ts';
import { backlogOf, type ConsoleSource, frameOf } from './console-source.ts';
import { FirstItems, scan, typesOf } from './inventory-scan.ts';
import { objectRow } from './object-row.ts';

const SHOWN_FAILING = 10;
const SHOWN_DEADLINES = 8;
const WINDOW_MS = 60_000;
/** Enough for a median, for any number of passes. */
const MAX_DELAYS = 10_000;

type Scanned = Pick<Overview, 'readAt' | 'kinds' | 'passes' | 'failing' | 'nextDeadlines'>;

/** Reads the overview. One read of the table serves all pages that ask during that time. */
export class OverviewReader {
  readonly #source: ConsoleSource;
  #read: Promise<{ scanned: Scanned; tookMs: number; atMs: number }> | undefined;

  constructor(source: ConsoleSource) {
    this.#source = source;
  }

  async overview(): Promise<Overview> {
    const { inspection, operated } = this.#source;
    const { scanned, tookMs } = await this.#scanned();
    const [state, backlog, letters] = await Promise.all([
      inspection.store.readCluster(inspection.cluster),
      operated.queues().then(backlogOf),
      stageDeadLetters(operated),
    ]);
    return {
      ...frameOf(this.#source, tookMs),
      ...scanned,
      backlog,
      deadLetters: letters.reduce((sum, { count }) => sum + count, 0),
      clusterState: clusterSummary(state, inspection),
    };
  }

  async #scanned() {
    const { clock } = this.#source.inspection;
    const last = await this.#read?.catch(() => undefined);
    const isFresh =
      last !== undefined && clock.monotonic() - last.atMs < frameOf(this.#source, last.tookMs).refreshMs / 2;
    if (isFresh) return last;
    this.#read = this.#scan();
    return await this.#read;
  }

  async #scan() {
    const { inspection } = this.#source;
    const beganMs = inspection.clock.monotonic();
    const tally = new Tally(inspection);
    for await (const { type, target } of scan(inspection, typesOf(inspection, undefined))) tally.add(target, type);
    const atMs = inspection.clock.monotonic();
    return { scanned: tally.result(), tookMs: atMs - beganMs, atMs };
  }
}

/** Counts objects one by one. */
class Tally {
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

  add(target: TargetState, type: ResourceType): void {
    const row = objectRow(target, type, this.#inspection);
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

  result(): Scanned {
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

export function clusterSummary(state: ClusterState, { clock, settings }: Inspection): ClusterSummary {
  const { pauseNote, relay, breakerOpenUntilMs } = state;
  return {
    incarnation: state.incarnation,
    paused: state.paused || settings.paused,
    ...(pauseNote !== undefined && { pauseNote: { by: pauseNote.by, at: rfc3339(pauseNote.atMs) } }),
    ...(breakerOpenUntilMs !== undefined &&
      isBreakerOpen(breakerOpenUntilMs, clock.now()) && { unreachableUntil: rfc3339(breakerOpenUntilMs) }),
    ...(relay !== undefined && { relay: { owner: relay.owner, until: rfc3339(relay.untilMs) } }),
  };
}
