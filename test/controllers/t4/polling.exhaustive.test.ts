import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { T4Sessions } from '../../../lib/controllers/t4/kinds.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { Fleet } from './fleet.ts';

const SESSIONS = 1_000;
const INTERVAL_MS = 30_000;
const JITTER = 0.1;
const NAMESPACE = 'team-0';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ namespaces: 1, hosts: 1, workspaces: 10, sessions: SESSIONS });
}, 300_000);
afterAll(async () => {
  await fleet.close();
});

describe('a thousand sessions that read one ConfigMap and one Secret', { timeout: 300_000 }, () => {
  const reads = (resource: string) =>
    fleet.world.server.requests.find({ verb: 'get', resource, userAgent: 'evenkeel' }).length;

  /** Counts the delayed messages from now on. */
  const countWakes = () => {
    const { wakes } = fleet.world;
    const send = wakes.sendDelayed.bind(wakes);
    let sent = 0;
    wakes.sendDelayed = async (message) => {
      sent += 1;
      await send(message);
    };
    return () => {
      wakes.sendDelayed = send;
      return sent;
    };
  };

  it('R-4.4 a thousand sessions cost one GET and one wake of each object in an interval, and no pass, while nothing changes', async () => {
    const forMs = 10 * INTERVAL_MS;
    // The first poll sends events to a thousand readers, at 200 per second.
    await fleet.passesAfter(async () => {}, INTERVAL_MS);
    fleet.world.server.requests.clear();
    const sent = countWakes();
    expect(await fleet.passesAfter(async () => {}, forMs)).toEqual(new Set());
    for (const resource of ['configmaps', 'secrets']) {
      // Each poll is due after the interval, plus its jitter, and its delayed message arrives a moment later.
      expect(reads(resource)).toBeLessThanOrEqual(Math.ceil(forMs / (INTERVAL_MS * (1 - JITTER))));
      expect(reads(resource)).toBeGreaterThanOrEqual(Math.floor(forMs / (INTERVAL_MS * (1 + JITTER) + 5_000)));
    }
    expect(sent()).toBe(reads('configmaps') + reads('secrets'));
    const ours = fleet.world.server.requests.find({ userAgent: 'evenkeel' });
    expect(new Set(ours.map(({ verb, resource }) => `${verb} ${resource}`))).toEqual(
      new Set(['get configmaps', 'get secrets']),
    );
  });

  it('R-4.4 R-4.2 a thousand sessions converge on a change within the interval', async () => {
    const edit = async (patch: object) =>
      await fleet.world.edit(
        ConfigMaps,
        await fleet.read(ConfigMaps, { namespace: NAMESPACE, name: 'omp-config' }),
        patch,
      );
    const phases = async () => {
      const found = await Promise.all(fleet.sessions.map((session) => fleet.read(T4Sessions, session)));
      return Map.groupBy(found, ({ status }) => (status as { phase: string }).phase);
    };
    const running = (await phases()).get('Running')?.length ?? 0;
    expect(running).toBeGreaterThan(SESSIONS / 2);

    await edit({ data: { 'settings.yml': 'token: x' } });
    await fleet.converge(INTERVAL_MS * (1 + JITTER) + 15_000);
    expect((await phases()).get('Running')).toBeUndefined();
    await edit({ data: { 'settings.yml': 'theme: light' } });
    await fleet.converge(INTERVAL_MS * (1 + JITTER) + 15_000);
    expect((await phases()).get('Running')).toHaveLength(running);
  });
});
