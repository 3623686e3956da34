import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { Target } from '../../../lib/core/target.ts';
import { takeLease } from '../../support/take-lease.ts';
import { RelayFixture, targetOf, Widgets } from './relay-fixture.ts';

const GRACE_MS = 30;
const HELD_MS = 30_000;

let fixture: RelayFixture;

beforeEach(async () => {
  fixture = new RelayFixture({ relay: { passGraceMs: GRACE_MS, checkpointEveryMs: 0 } });
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
});

afterEach(() => fixture.stopAll());

/** A widget whose first event was sent, and its running pass. */
async function inPass(name: string) {
  const target = targetOf(fixture.cluster.put(Widgets, { namespace: 'ns', name }));
  await fixture.clock.advance(0);
  fixture.sent('events');
  const nowMs = fixture.clock.now();
  const state = await takeLease(fixture.memory, {
    target,
    owner: 'o',
    attempt: 'a',
    nowMs,
    leaseUntilMs: nowMs + HELD_MS,
    latestUntilMs: nowMs + HELD_MS + 4_000,
  });
  return { target, epoch: state?.epoch ?? 0 };
}

async function commit({ target, epoch }: { target: Target; epoch: number }, version: string): Promise<void> {
  await fixture.memory.commit(
    { target, owner: 'o', epoch },
    {
      incarnation: 1,
      observedVersion: Number(version),
      failures: 0,
      bucket: { tokens: 1, atMs: 0 },
      values: {},
      wakeSent: false,
      versions: {},
      edges: [],
      reconcilerVersion: '1',
      lastOutcome: { type: 'settled', reason: '', message: '', atMs: 0, durationMs: 0, cause: 'updated' },
    },
  );
}

const edit = (name: string) => fixture.cluster.put(Widgets, { namespace: 'ns', name, labels: { edited: 'yes' } });

describe('an event that meets a running pass', () => {
  it('R-5.11 an event during a pass costs no message when the pass commits its version: it was of its own write', async () => {
    const pass = await inPass('a');
    const own = edit('a');
    await fixture.clock.advance(GRACE_MS - 1);
    await commit(pass, own.metadata.resourceVersion);
    await fixture.clock.advance(HELD_MS);
    expect(fixture.lines('events')).toEqual([]);
  });

  it('R-1.8 an event during a pass is sent after a moment when the pass continues, or commits without it', async () => {
    const pass = await inPass('a');
    const foreign = edit('a');
    await fixture.clock.advance(GRACE_MS - 1);
    expect(fixture.lines('events')).toEqual([]);
    await commit(pass, String(Number(foreign.metadata.resourceVersion) - 1));
    await fixture.clock.advance(1);
    expect(fixture.lines('events')).toEqual([`updated ns/a@${foreign.metadata.resourceVersion}`]);
  });

  it('R-1.6 an event during a pass does not delay the events of other targets', async () => {
    await inPass('a');
    edit('a');
    const other = edit('b');
    await fixture.clock.advance(0);
    expect(fixture.lines('events')).toEqual([`created ns/b@${other.metadata.resourceVersion}`]);
  });

  it('R-5.7 an event during a pass stops the checkpoint until the event is sent', async () => {
    await inPass('a');
    const before = await fixture.checkpoint();
    const event = edit('a');
    await fixture.clock.advance(GRACE_MS - 1);
    expect(await fixture.checkpoint()).toBe(before);
    await fixture.clock.advance(1);
    expect(await fixture.checkpoint()).toBe(`1:${event.metadata.resourceVersion}`);
  });

  it('R-5.7 the watch ends when an event cannot be judged again, so that no events are read without a limit', async () => {
    await inPass('a');
    edit('a');
    await fixture.clock.advance(0);
    fixture.queues.events.refuses = () => true;
    edit('b');
    await fixture.clock.advance(0);
    const answers = fixture.memory.readTargets.bind(fixture.memory);
    fixture.memory.readTargets = () => Promise.reject(new InfrastructureError('no answer'));
    await fixture.clock.advance(GRACE_MS);
    const { shown } = fixture.cluster;
    for (let index = 0; index < 500; index += 1) edit(`c-${index}`);
    await fixture.clock.advance(100);
    expect(fixture.cluster.shown - shown).toBeLessThanOrEqual(1);
    fixture.memory.readTargets = answers;
    fixture.queues.events.refuses = () => false;
    await fixture.clock.advance(HELD_MS);
    expect(new Set(fixture.sent('events').map(({ name }) => name)).size).toBe(502);
  });

  it('R-1.8 an event is sent at once when the lease has expired, because that pass died', async () => {
    await inPass('a');
    await fixture.clock.advance(HELD_MS + 1);
    const event = edit('a');
    await fixture.clock.advance(0);
    expect(fixture.lines('events')).toEqual([`updated ns/a@${event.metadata.resourceVersion}`]);
  });
});
