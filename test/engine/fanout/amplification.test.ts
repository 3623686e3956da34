import { describe, expect, it } from 'vitest';
import { FanoutFixture, seen } from './fanout-fixture.ts';

/** How many events the workers of a group handle per second in each lane: less than the rate measured on two cores. */
const EVENTS_A_SECOND = 200;
const RESYNC_A_SECOND = 20;

/** One second, in which the workers handle as much as they can. */
async function second(fixture: FanoutFixture): Promise<void> {
  await fixture.elapse(1_000);
  await fixture.read(EVENTS_A_SECOND, ['events']);
  await fixture.read(RESYNC_A_SECOND, ['resync']);
}

function flood(fixture: FanoutFixture, count: number): Promise<unknown> {
  return fixture.queues.resync.send(
    Array.from({ length: count }, (_, index) => ({
      body: JSON.stringify({ uid: `flood-${index}`, cause: 'updated' }),
      messageGroupId: `flood-${index}`,
      deduplicationId: `flood-${index}`,
    })),
  );
}

describe('what one tenant does to others', () => {
  it('R-5.17 another tenant waits behind at most 400 events, and fewer than 10,000 messages wait, while an object with 800 readers changes twice a second', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(800);
    let before = 0;
    let backlog = 0;
    for (let edit = 1; edit <= 600; edit += 2) {
      await fixture.change(seen(edit));
      await fixture.change(seen(edit + 1));
      await fixture.elapse(1_000);
      // A message that another tenant sends now is handled after these.
      before = Math.max(before, fixture.waiting('events').length);
      backlog = Math.max(backlog, fixture.waiting('events').length + fixture.waiting('resync').length);
      await fixture.read(EVENTS_A_SECOND, ['events']);
      await fixture.read(RESYNC_A_SECOND, ['resync']);
    }
    expect(before).toBeLessThanOrEqual(400);
    expect(backlog).toBeLessThan(10_000);
  });

  it.each([
    ['the first change after a rest', 0],
    ['a change right after another', 1],
    ['a change while the last round is being told', 15],
  ])(
    'R-5.17 a revocation of 1,000 ends within a minute although 50,000 events wait: %s',
    async (_, secondsAfterAnother) => {
      const fixture = new FanoutFixture();
      await fixture.readers(1_000);
      await flood(fixture, 50_000);
      if (secondsAfterAnother > 0) {
        await fixture.change(seen(1));
        for (let passed = 0; passed < secondsAfterAnother; passed += 1) await second(fixture);
      }
      await fixture.change(seen(2));
      let seconds = 0;
      const isThrough = () =>
        [...fixture.told].filter(([uid, versions]) => uid.startsWith('r') && versions.includes('2')).length === 1_000;
      for (; !isThrough() && seconds < 300; seconds += 1) await second(fixture);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(fixture.waiting('resync').length).toBeGreaterThan(45_000);
    },
  );
});
