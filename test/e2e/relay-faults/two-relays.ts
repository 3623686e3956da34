import { expect, it } from 'vitest';
import { area } from './world.ts';

export const twoRelays = area('two relays', (world) => {
  it('R-1.10 R-5.7 one relay works and the other stands by; when the first is killed, the other continues from its checkpoint', async () => {
    const { edits, relay: first } = await world().begin();
    const second = world().startRelay();
    for (let time = 0; time < 2; time += 1) {
      await edits.round();
      await edits.right();
    }
    expect(second.pace.total).toBe(0);
    await first.kill();
    await edits.round();
    await edits.right();
    expect(second.pace.total).toBeGreaterThan(0);
    await world().verify();
  });

  it('R-1.10 one that ends gives its place to the other at once', async () => {
    const { edits, relay: first } = await world().begin();
    const second = world().startRelay();
    await first.stop();
    await edits.round();
    await edits.right();
    expect(second.pace.total).toBeGreaterThan(0);
    await world().verify();
  });
});
