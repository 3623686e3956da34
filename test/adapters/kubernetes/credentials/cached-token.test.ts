import { describe, expect, it } from 'vitest';
import { CachedToken, type FetchedToken } from '../../../../lib/adapters/kubernetes/credentials/cached-token.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function setup(lifeMs?: number) {
  const clock = new ManualClock();
  let fetches = 0;
  const source = new CachedToken('exec', clock, async (): Promise<FetchedToken> => {
    fetches += 1;
    return lifeMs === undefined
      ? { token: `t${fetches}` }
      : { token: `t${fetches}`, refreshAtMs: clock.now() + lifeMs };
  });
  return { clock, source, fetches: () => fetches };
}

describe('R-5.7 a token that is fetched', () => {
  it('is fetched once, however many want it at once', async () => {
    const { source, fetches } = setup();
    await expect(Promise.all([source.current(), source.current(), source.current()])).resolves.toEqual([
      't1',
      't1',
      't1',
    ]);
    await expect(source.current()).resolves.toBe('t1');
    expect(fetches()).toBe(1);
  });

  it('is fetched anew when its time has come, and not before', async () => {
    const { source, clock } = setup(1_000);
    await source.current();
    clock.jump(999);
    await expect(source.current()).resolves.toBe('t1');
    clock.jump(1);
    await expect(source.current()).resolves.toBe('t2');
  });

  it('is fetched anew once for many requests that were refused with the same one', async () => {
    const { source, fetches } = setup();
    await source.current();
    for (let request = 0; request < 5; request += 1) {
      source.refused('t1');
      await expect(source.current()).resolves.toBe('t2');
    }
    expect(fetches()).toBe(2);
  });

  it('is tried again by the next who wants it when it could not be fetched', async () => {
    let fetches = 0;
    const source = new CachedToken('file', new ManualClock(), async () => {
      fetches += 1;
      if (fetches === 1) throw new Error('not now');
      return { token: 'late' };
    });
    await expect(source.current()).rejects.toThrow('not now');
    await expect(source.current()).resolves.toBe('late');
  });
});
