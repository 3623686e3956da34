import { describe, expect, it } from 'vitest';
import { NETWORK, REPLAYED, replayChanges } from '../../../bench/relay-throughput.ts';

const CHANGES = 5_000;
const CHANGES_A_SECOND = 2_000;
/** Those that nobody reads make no message. */
const MESSAGES: Readonly<Record<string, number>> = { 'objects that nobody reads': 0 };

describe('one relay on a replayed watch', () => {
  it.each(Object.entries(REPLAYED))(
    'R-5.17 works through 2,000 changes a second of %s when the table and the queue take their time',
    async (what, replay) => {
      const { seconds, sent } = await replayChanges({ ...replay, changes: CHANGES, ...NETWORK });
      expect(sent.events + sent.resync).toBe(MESSAGES[what] ?? CHANGES);
      expect(CHANGES / seconds).toBeGreaterThanOrEqual(CHANGES_A_SECOND);
    },
  );

  it('R-5.11 asks the table once and the queue ten times for 100 changes of reconciled objects when they come together', async () => {
    const replay = { ...REPLAYED['reconciled objects'], changes: CHANGES, ...NETWORK };
    const { tableRequests, queueRequests } = await replayChanges(replay);
    // The first batches are smaller.
    expect(queueRequests).toBeLessThanOrEqual(CHANGES / 10 + 5);
    // The hold, the state of the cluster and the checkpoints of all kinds come on top.
    expect(tableRequests).toBeLessThan(CHANGES / 100 + 50);
  });
});
