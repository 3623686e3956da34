import type { InstalledQueues } from '../../lib/deployment/installation/installation.ts';
import { LANES } from '../../lib/deployment/installation/resource-names.ts';
import type { DeadLetter, DeadLetterQueue } from '../../lib/ports/dead-letters.ts';
import { stageDeadLetters } from '../inspection/stage-dead-letters.ts';
import type { Frame, QueueCount } from './api-types.ts';
import { type ConsoleSource, frameOf } from './console-source.ts';
import { type InventorySnapshot, readSnapshot } from './inventory-snapshot.ts';
import { RationedRead } from './rationed-read.ts';

/** Waiting messages and dead letters, as numbers. */
export interface QueueFigures {
  readonly backlog: readonly QueueCount[];
  readonly deadLetters: number;
}

export interface QueueLetters {
  readonly queue: DeadLetterQueue;
  readonly letters: readonly DeadLetter[];
}

/** The shortest interval between two reads. On one machine a read costs only CPU; in the cloud AWS charges it. */
const LOCAL_LEAST_MS = 1_000;
const CLOUD_LEAST_MS = 30_000;
/**
 * What the rationed reads of a console may cost in an hour, in US dollars. An open console costs at most 0.05: the first
 * read of each, and the other requests of its pages, fit in the rest.
 */
const TABLE_DOLLARS = 0.035;
const QUEUE_DOLLARS = 0.004;
const LETTER_DOLLARS = 0.004;

/** The reads of a console that cost time or money. All pages share their results. */
export class ConsoleReads {
  readonly source: ConsoleSource;
  readonly inventory: RationedRead<InventorySnapshot>;
  readonly queues: RationedRead<QueueFigures>;
  readonly letters: RationedRead<readonly QueueLetters[]>;

  constructor(source: ConsoleSource) {
    this.source = source;
    const { inspection, operated } = source;
    const leastMs = operated.isCloud ? CLOUD_LEAST_MS : LOCAL_LEAST_MS;
    const spent = inspection.spentDollars ?? (() => 0);
    const rationed = <Value>(dollarsPerHour: number, read: () => Promise<Value>) =>
      new RationedRead(inspection.clock, spent, { leastMs, dollarsPerHour }, read);
    this.inventory = rationed(TABLE_DOLLARS, () => readSnapshot(inspection));
    this.queues = rationed(QUEUE_DOLLARS, async () => {
      const [backlog, letters] = await Promise.all([operated.queues().then(backlogOf), stageDeadLetters(operated)]);
      return { backlog, deadLetters: letters.reduce((sum, { count }) => sum + count, 0) };
    });
    this.letters = rationed(LETTER_DOLLARS, async () => {
      const queues = await stageDeadLetters(operated);
      const peek = async (queue: DeadLetterQueue) => (queue.count === 0 ? [] : await operated.deadLetters.peek(queue));
      return await Promise.all(queues.map(async (queue) => ({ queue, letters: await peek(queue) })));
    });
  }

  /** @param nextMs the reading of the monotonic clock at which the answer can change. */
  readonly frame = (nextMs?: number): Frame => frameOf(this.source, nextMs);
}

/** The waiting messages of each queue. */
async function backlogOf(queues: InstalledQueues): Promise<QueueCount[]> {
  const counted = Object.entries(queues).flatMap(([group, lanes]) =>
    LANES.map(async (lane) => ({ queue: `${group} ${lane}`, count: await lanes[lane].waiting() })),
  );
  return await Promise.all(counted);
}
