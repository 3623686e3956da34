import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { Checkpointer } from '../../../lib/engine/relay/checkpointer.ts';
import { Incarnation } from '../../../lib/engine/relay/incarnation.ts';
import { RelayHold } from '../../../lib/engine/relay/relay-hold.ts';
import { DEFAULT_RELAY_OPTIONS } from '../../../lib/engine/relay/relay-options.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';

async function checkpointer() {
  const clock = new ManualClock();
  const store = new MemoryStateStore({ clock });
  const parts = { cluster: 'c', store, clock, entropy: new SeededEntropy(), logger: new SilentLogger() };
  const deps = { ...parts, metrics: new RecordedMetrics() };
  const hold = await RelayHold.acquire(deps, DEFAULT_RELAY_OPTIONS, new AbortController().signal);
  const incarnation = new Incarnation(deps, 1);
  const made = new Checkpointer(deps, DEFAULT_RELAY_OPTIONS, hold, incarnation, 'widgets');
  return { clock, hold, incarnation, made, saved: () => store.readCheckpoint('c', 'widgets') };
}

describe('Checkpointer', () => {
  it('R-5.8 drops what is pending once another incarnation began', async () => {
    const { incarnation, made, saved } = await checkpointer();
    await made.advance('10');
    await made.advance('11');
    incarnation.adopt(2);
    await made.flush();
    await made.advance('12');
    expect(await saved()).toMatchObject({ incarnation: 1, resourceVersion: '10' });
  });

  it('R-5.7 writes the last version that is pending, once it is due', async () => {
    const { clock, made, saved } = await checkpointer();
    for (const version of ['10', '11', '12']) await made.advance(version);
    expect(await saved()).toMatchObject({ resourceVersion: '10' });
    await clock.advance(5_000);
    await made.advance('13');
    expect(await saved()).toEqual({ incarnation: 1, resourceVersion: '13', heartbeatMs: clock.now() });
  });

  it('R-1.10 writes nothing once the hold is lost', async () => {
    const { hold, made, saved } = await checkpointer();
    hold.lose('of a test');
    await made.advance('10');
    expect(await saved()).toBeUndefined();
  });
});
