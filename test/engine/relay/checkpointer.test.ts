import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { Checkpointer } from '../../../lib/engine/relay/checkpointer.ts';
import { Incarnation } from '../../../lib/engine/relay/incarnation.ts';
import { RelayHold } from '../../../lib/engine/relay/relay-hold.ts';
import { DEFAULT_RELAY_OPTIONS } from '../../../lib/engine/relay/relay-options.ts';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';

/** A table whose checkpoint writes succeed or fail when the test says so. */
class HeldTable extends MemoryStateStore {
  held: ((error?: Error) => void)[] | undefined;

  override async saveCheckpoint(...args: Parameters<MemoryStateStore['saveCheckpoint']>): Promise<boolean> {
    const { held } = this;
    if (held !== undefined) {
      await new Promise<void>((resolve, reject) =>
        held.push((error) => (error === undefined ? resolve() : reject(error))),
      );
    }
    return await super.saveCheckpoint(...args);
  }
}

async function checkpointer() {
  const clock = new ManualClock();
  const store = new HeldTable({ clock });
  const parts = { cluster: 'c', store, clock, entropy: new SeededEntropy(), logger: new SilentLogger() };
  const deps = { ...parts, metrics: new RecordedMetrics() };
  const hold = await RelayHold.acquire(deps, DEFAULT_RELAY_OPTIONS, new AbortController().signal);
  const incarnation = new Incarnation(deps, 1);
  const made = new Checkpointer(deps, DEFAULT_RELAY_OPTIONS, hold, incarnation, 'widgets');
  return { clock, store, hold, incarnation, made, saved: () => store.readCheckpoint('c', 'widgets') };
}

describe('Checkpointer', () => {
  it('R-5.8 the checkpointer drops pending versions when another incarnation has started', async () => {
    const { incarnation, made, saved } = await checkpointer();
    await made.advance('10');
    await made.advance('11');
    incarnation.adopt(2);
    await made.flush();
    await made.advance('12');
    expect(await saved()).toMatchObject({ incarnation: 1, resourceVersion: '10' });
  });

  it('R-5.7 the checkpointer writes the last pending version when it is due', async () => {
    const { clock, made, saved } = await checkpointer();
    for (const version of ['10', '11', '12']) await made.advance(version);
    expect(await saved()).toMatchObject({ resourceVersion: '10' });
    await clock.advance(5_000);
    await made.advance('13');
    expect(await saved()).toEqual({ incarnation: 1, resourceVersion: '13', heartbeatMs: clock.now() });
  });

  it('R-1.10 the checkpointer writes nothing when the hold is lost', async () => {
    const { hold, made, saved } = await checkpointer();
    hold.lose('of a test');
    await made.advance('10');
    expect(await saved()).toBeUndefined();
  });

  it('R-5.7 the checkpointer writes one version after the other, and skips one that a newer one replaces', async () => {
    const { clock, store, made, saved } = await checkpointer();
    const held: NonNullable<HeldTable['held']> = [];
    store.held = held;
    const done = [made.advance('10')];
    await settle();
    for (const version of ['11', '12']) {
      await clock.advance(5_000);
      done.push(made.advance(version));
    }
    done.push(made.flush());
    await settle();
    expect(held).toHaveLength(1);
    held.shift()?.();
    await settle();
    expect(held).toHaveLength(1);
    expect(await saved()).toMatchObject({ resourceVersion: '10' });
    held.shift()?.();
    await Promise.all(done);
    expect(await saved()).toMatchObject({ resourceVersion: '12' });
    expect(held).toEqual([]);
  });

  it('R-5.7 a failed write of a checkpoint does not stop the later ones', async () => {
    const { clock, store, made, saved } = await checkpointer();
    const held: NonNullable<HeldTable['held']> = [];
    store.held = held;
    const done = [made.advance('10')];
    await clock.advance(5_000);
    done.push(made.advance('11'));
    await settle();
    held.shift()?.(new Error('no answer'));
    await settle();
    held.shift()?.();
    await Promise.all(done);
    expect(await saved()).toMatchObject({ resourceVersion: '11' });
  });
});
