import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { PRICES } from '../../../bench/cost-model.ts';
import type { Frame, ObjectPage, Overview } from '../../../cli/console/api-types.ts';
import type { ConsoleSource } from '../../../cli/console/console-source.ts';
import { readSnapshot } from '../../../cli/console/inventory-snapshot.ts';
import type { Page } from '../../../lib/ports/page.ts';
import type { StateStore, TargetState } from '../../../lib/ports/state-store.ts';
import { apiClient } from './api-client.ts';
import { type ConsoleWorld, consoleWorld } from './console-world.ts';
import { manyObjects, WIDGETS, withStore } from './many-objects.ts';

const OBJECTS = 50_000;
const HOUR_MS = 3_600_000;
/** An item with a full history, as a table stores it. */
const ITEM_BYTES = 1_500;
const READ_UNIT_BYTES = 4_096;

/** What a large item has: its texts are much larger than its row. */
function full(index: number): Partial<TargetState> {
  const atMs = Date.UTC(2025, 11, 31) + index;
  return {
    dueAtMs: atMs + HOUR_MS,
    versions: { [`secrets/n/s${index}`]: index },
    lastOutcome: {
      type: index % 100 === 0 ? 'retry' : 'settled',
      reason: 'AllSatisfied',
      message: `${index} `.repeat(60),
      atMs,
      durationMs: 3,
      cause: 'updated',
      condition: 'Ready True AllSatisfied',
    },
    pastPasses: `${index} `.repeat(150),
  };
}

function collect(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** A stage in the cloud whose requests are counted at list prices, as the table and the queues charge them. */
async function countedStage(): Promise<{ made: ConsoleWorld; source: ConsoleSource; dollars: () => number }> {
  const letters = Array.from({ length: 500 }, (_, at) => ({ messageId: `m${at}`, body: '{}', sentAtMs: at }));
  const made = await consoleWorld({ stage: 'prod', api: false, letters });
  let dollars = 0;
  const units = (count: number) => {
    dollars += (count * PRICES.tableRead) / 1_000_000;
  };
  const requests = (count: number) => {
    dollars += (count * PRICES.fifoRequest) / 1_000_000;
  };
  const large = manyObjects(made.source, OBJECTS).source;
  const { store } = large.inspection;
  const inventory: StateStore['inventory'] = async (...args): Promise<Page<TargetState>> => {
    const page = await store.inventory(...args);
    units(Math.ceil((page.items.length * ITEM_BYTES) / READ_UNIT_BYTES));
    return page;
  };
  const counted = <Args extends unknown[], Answer>(read: (...args: Args) => Answer) => {
    return (...args: Args): Answer => {
      units(1);
      return read(...args);
    };
  };
  const source = withStore(large, {
    inventory,
    readCluster: counted(store.readCluster),
    readCheckpoint: counted(store.readCheckpoint),
    readTargets: counted(store.readTargets),
    readPoll: counted(store.readPoll),
    readers: counted(store.readers),
  });
  const { operated } = source;
  const { deadLetters } = operated;
  return {
    made,
    dollars: () => dollars,
    source: {
      ...source,
      inspection: { ...source.inspection, spentDollars: () => dollars },
      operated: {
        ...operated,
        queues: async () => {
          requests(2);
          return await operated.queues();
        },
        deadLetters: {
          queues: async (stage) => {
            requests(3);
            return await deadLetters.queues(stage);
          },
          // Received ten at a time, and each made visible again.
          peek: async (queue) => {
            requests(queue.count / 10 + 1 + queue.count);
            return await deadLetters.peek(queue);
          },
          redrive: (...args) => deadLetters.redrive(...args),
        },
      },
    },
  };
}

/** What an hour costs with these pages open: each asks again when the server says so. */
async function costOfAnHour(pages: readonly [string, Readonly<Record<string, string>>][]): Promise<number> {
  const { made, source, dollars } = await countedStage();
  const { clock } = made.world;
  const client = apiClient(source);
  const endMs = clock.monotonic() + HOUR_MS;
  const due = pages.map(() => clock.monotonic());
  while (Math.min(...due) < endMs) {
    const at = due.indexOf(Math.min(...due));
    clock.jump(Math.max(0, (due[at] ?? 0) - clock.monotonic()));
    const [path, query] = pages[at] ?? ['', {}];
    const { refreshMs } = await client
      .get<Frame>(path, query)
      .catch((): Pick<Frame, 'refreshMs'> => ({ refreshMs: 5_000 }));
    due[at] = clock.monotonic() + refreshMs;
  }
  return dollars();
}

describe('a console of a cloud stage with 50,000 objects', () => {
  it('R-6.10 an hour with every page open costs no more than $0.05', async () => {
    const dollars = await costOfAnHour([
      ['overview', {}],
      ['objects', { state: 'failing' }],
      // The table has no item of it, so its page is an error, which the browser repeats every 5 s.
      ['object', { kind: WIDGETS, namespace: 'n1', name: 'o000001' }],
      ['cluster', {}],
      ['dead-letters', {}],
      ['bulk', {}],
    ]);
    expect(dollars).toBeGreaterThan(0.02);
    expect(dollars).toBeLessThan(0.05);
  });
});

describe('the memory of a console with 50,000 objects', () => {
  it('R-5.18 a list keeps less than 500 bytes of each object, and no message and no history', async () => {
    const gc = collect();
    const { source } = manyObjects((await consoleWorld()).source, OBJECTS, full);
    const client = apiClient(source);
    gc();
    const before = process.memoryUsage().heapUsed;
    const overview = await client.get<Overview>('overview');
    const list = await client.get<ObjectPage>('objects', { sort: 'lastPass', from: '25000' });
    gc();
    const kept = process.memoryUsage().heapUsed - before;
    expect([overview.kinds[0]?.total, list.selected, list.rows.length]).toEqual([OBJECTS, OBJECTS, 50]);
    // The client keeps the list, as a server does between two requests.
    expect((await client.get<ObjectPage>('objects')).selected).toBe(OBJECTS);
    expect(kept).toBeLessThan(OBJECTS * 500);
  });

  it('R-5.18 a list leaves out healthy objects first, and counts them, when there are too many', async () => {
    const { source } = manyObjects((await consoleWorld()).source, 2_000, full);
    const snapshot = await readSnapshot(source.inspection, 100);
    const failing = snapshot.rows.filter(({ counted }) => counted === 'failing');
    expect([snapshot.rows.length, failing.length, snapshot.notListed]).toEqual([120, 20, 1_880]);
    expect(snapshot.tallied.kinds[0]).toMatchObject({ total: 2_000, counts: { failing: 20 } });
  });
});
