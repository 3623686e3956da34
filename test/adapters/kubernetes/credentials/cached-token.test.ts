import { describe, expect, it } from 'vitest';
import { CachedToken, type FetchedToken } from '../../../../lib/adapters/kubernetes/credentials/cached-token.ts';
import { CredentialsError } from '../../../../lib/adapters/kubernetes/credentials/token-source.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function setup(lifeMs?: number) {
  const clock = new ManualClock();
  let fetches = 0;
  const source = new CachedToken('eks', clock, async (): Promise<FetchedToken> => {
    fetches += 1;
    return lifeMs === undefined ? { token: `t${fetches}` } : { token: `t${fetches}`, refreshInMs: lifeMs };
  });
  return { clock, source, fetches: () => fetches };
}

describe('R-5.7 a token that is fetched', () => {
  it('the token is fetched once for concurrent callers', async () => {
    const { source, fetches } = setup();
    await expect(Promise.all([source.current(), source.current(), source.current()])).resolves.toEqual([
      't1',
      't1',
      't1',
    ]);
    await expect(source.current()).resolves.toBe('t1');
    expect(fetches()).toBe(1);
  });

  it('the token is fetched again when it is due, and not before', async () => {
    const { source, clock } = setup(1_000);
    await source.current();
    clock.jump(999);
    await expect(source.current()).resolves.toBe('t1');
    clock.jump(1);
    await expect(source.current()).resolves.toBe('t2');
  });

  it.each([-600_000, 600_000, -3_600_000])(
    'R-1.29 the token is fetched again in time when the clock is set by %i ms',
    async (stepMs) => {
      const { source, clock } = setup(60_000);
      await source.current();
      clock.step(stepMs);
      clock.jump(59_999);
      await expect(source.current()).resolves.toBe('t1');
      clock.jump(1);
      await expect(source.current()).resolves.toBe('t2');
    },
  );

  it('the token is fetched again once for many requests that were refused with the same one', async () => {
    const { source, fetches } = setup();
    await source.current();
    for (let request = 0; request < 5; request += 1) {
      source.refused('t1');
      await expect(source.current()).resolves.toBe('t2');
    }
    expect(fetches()).toBe(2);
  });

  it('the next caller fetches the token when it could not be fetched before', async () => {
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

describe('R-5.7 a token whose source fails', () => {
  const outage = new CredentialsError('no answer');

  /** Fetches `t1`, which is due after a minute and expires after ten. Then it fails until `recover`. */
  function failing(failure: Error = outage, expiresAfterMs?: number) {
    const clock = new ManualClock();
    let fails: Error | undefined;
    let fetches = 0;
    const source = new CachedToken('secret', clock, async (): Promise<FetchedToken> => {
      fetches += 1;
      if (fails !== undefined) throw fails;
      const ends = expiresAfterMs === undefined ? {} : { expiresInMs: expiresAfterMs };
      return { token: `t${fetches}`, refreshInMs: 60_000, ...ends };
    });
    const fail = async () => {
      await source.current();
      fails = failure;
      clock.jump(60_000);
    };
    const recover = () => {
      fails = undefined;
    };
    return { clock, source, fail, recover, fetches: () => fetches };
  }

  it('the token stays during a long failure, and is requested again every ten seconds', async () => {
    const { clock, source, fail, recover, fetches } = failing();
    await fail();
    await expect(Promise.all([source.current(), source.current()])).resolves.toEqual(['t1', 't1']);
    clock.jump(9_999);
    await expect(source.current()).resolves.toBe('t1');
    expect(fetches()).toBe(2);
    clock.jump(1);
    await expect(source.current()).resolves.toBe('t1');
    expect(fetches()).toBe(3);
    clock.jump(24 * 3_600_000);
    await expect(source.current()).resolves.toBe('t1');
    recover();
    clock.jump(10_000);
    await expect(source.current()).resolves.toBe('t5');
  });

  it('the token stays until it expires, and no longer', async () => {
    const { clock, source, fail } = failing(outage, 65_000);
    await fail();
    await expect(source.current()).resolves.toBe('t1');
    clock.jump(4_999);
    await expect(source.current()).resolves.toBe('t1');
    clock.jump(1);
    await expect(source.current()).rejects.toBe(outage);
  });

  it('the token stays until the server refuses it, also during a fetch', async () => {
    const { source, fail } = failing();
    await fail();
    await expect(source.current()).resolves.toBe('t1');
    source.refused('t1');
    await expect(source.current()).rejects.toBe(outage);

    const other = failing();
    await other.fail();
    const wanted = other.source.current();
    other.source.refused('t1');
    await expect(wanted).rejects.toBe(outage);
  });

  it('the token is dropped when the source says that there is none', async () => {
    const gone = new CredentialsError('deleted', { gone: true });
    const { source, fail } = failing(gone);
    await fail();
    await expect(source.current()).rejects.toBe(gone);
    await expect(source.current()).rejects.toBe(gone);
  });
});

describe('R-5.7 a token that is renewed before it is due', () => {
  function renewing(outcome: () => Promise<string>) {
    const clock = new ManualClock();
    let fetches = 0;
    const source = new CachedToken('eks', clock, async (): Promise<FetchedToken> => {
      fetches += 1;
      const token = fetches === 1 ? 't1' : await outcome();
      return { token, renewInMs: 60_000, refreshInMs: 100_000, expiresInMs: 110_000 };
    });
    return { clock, source, fetches: () => fetches };
  }

  it('the token is used while the next one is fetched, however long that takes', async () => {
    const next = Promise.withResolvers<string>();
    const { clock, source, fetches } = renewing(() => next.promise);
    await source.current();
    clock.jump(60_000);
    await expect(source.current()).resolves.toBe('t1');
    await expect(source.current()).resolves.toBe('t1');
    expect(fetches()).toBe(2);
    next.resolve('t2');
    await expect.poll(() => source.current()).toBe('t2');
    expect(fetches()).toBe(2);
  });

  it.each([60_000, 75_000, 99_999])(
    'the token is still used when the next one cannot be fetched after %i ms',
    async (afterMs) => {
      const { clock, source, fetches } = renewing(async () => Promise.reject(new CredentialsError('no answer')));
      await source.current();
      clock.jump(afterMs);
      await expect(source.current()).resolves.toBe('t1');
      await expect.poll(fetches).toBe(2);
      await expect(source.current()).resolves.toBe('t1');
      expect(fetches()).toBe(2);
      clock.jump(110_000 - afterMs);
      await expect(source.current()).rejects.toThrow('no answer');
    },
  );

  it('callers wait for a token that is due', async () => {
    const { clock, source } = renewing(async () => 't2');
    await source.current();
    clock.jump(100_000);
    await expect(source.current()).resolves.toBe('t2');
  });
});
