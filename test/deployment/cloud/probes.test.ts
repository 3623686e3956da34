import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Probes } from '../../../lib/deployment/cloud/probes.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

let clock: ManualClock;
let probes: Probes;
let url: string;

beforeEach(async () => {
  clock = new ManualClock();
  probes = new Probes(clock);
  url = `http://127.0.0.1:${await probes.listen('127.0.0.1', 0)}`;
});
afterEach(() => probes.close());

const status = async (path: string) => (await fetch(url + path)).status;

describe('the probes of a relay in a container', () => {
  it('R-5.5 it is ready once there was a sign of life, and lives until the last one is three minutes ago', async () => {
    expect([await status('/ready'), await status('/live')]).toEqual([503, 200]);
    probes.signOfLife();
    clock.jump(179_000);
    expect([await status('/ready'), await status('/live')]).toEqual([200, 200]);
    clock.jump(1_000);
    expect([await status('/ready'), await status('/live')]).toEqual([200, 503]);
    probes.signOfLife();
    expect(await status('/live')).toBe(200);
  });

  it('R-5.5 one that never gives a sign of life is started again', async () => {
    clock.jump(180_000);
    expect([await status('/ready'), await status('/live'), await status('/')]).toEqual([503, 503, 503]);
  });

  it('R-5.24 shows the metrics only to a request with the credential when there are metrics', async () => {
    expect(await status('/metrics')).toBe(503);
    const guarded = new Probes(clock, {
      contentType: 'text/plain',
      exposition: async () => 'passes 7',
      isAuthorized: (authorization) => authorization === 'Bearer right',
    });
    const metrics = `http://127.0.0.1:${await guarded.listen('127.0.0.1', 0)}/metrics`;
    const ask = async (authorization?: string) => {
      const answer = await fetch(metrics, { headers: authorization === undefined ? {} : { authorization } });
      return [answer.status, await answer.text()];
    };
    expect([await ask(), await ask('Bearer wrong')]).toEqual([
      [401, 'Unauthorized\n'],
      [401, 'Unauthorized\n'],
    ]);
    expect(await ask('Bearer right')).toEqual([200, 'passes 7']);
    await guarded.close();
  });

  it('R-6.4 a port that is taken is an error, not a relay without probes', async () => {
    const second = new Probes(clock);
    await expect(second.listen('127.0.0.1', Number(new URL(url).port))).rejects.toThrow('EADDRINUSE');
  });
});
