import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkAt, settled } from '../../lib/core/outcome.ts';
import { ConfigMaps, Secrets } from '../../lib/core/resource-type.ts';
import { defineKind } from '../../lib/index.ts';
import type { World } from '../../lib/testing/world.ts';
import { Widgets, widgetWorld } from '../support/widget.ts';

const MINUTE = 60_000;
const style = { namespace: 'default', name: 'style' };

/** Writes the Secret's style into the status of each Widget. A Widget with a time in its spec is due again then. */
const newWorld = (): Promise<World> =>
  widgetWorld({
    reconcile: async (object, context) => {
      const secret = await context.get(Secrets, style);
      const { wakeAtMs, isRestless } = (object.spec ?? {}) as { wakeAtMs?: number; isRestless?: boolean };
      const status = { style: (secret?.data as { style?: string } | undefined)?.style ?? 'none', atMs: context.nowMs };
      if (isRestless === true) return { outcome: checkAt(context.nowMs + 500), status };
      return { outcome: wakeAtMs === undefined || wakeAtMs <= context.nowMs ? settled() : checkAt(wakeAtMs), status };
    },
  });

const statusOf = async (world: World, name: string) =>
  (await world.user.get(Widgets, { namespace: 'default', name })).status as { style: string; atMs: number };

describe('World', () => {
  it('R-6.6 install throws with what the API server says when it refuses a definition', async () => {
    const world = await newWorld();
    const flag = {
      group: 'example.com',
      version: 'v1',
      kind: 'Flag',
      spec: z.object({ color: z.string().max(9) }),
    };
    const Flags = defineKind({ ...flag, validations: [{ rule: 'self.colour == "a"', message: 'a' }] });
    await expect(world.install([Flags.definition])).rejects.toThrow(/^the API server refuses a definition: .*flags/);
  });

  it('R-6.6 settle runs the passes that a new object and a change of its dependency ask for, by the relay alone', async () => {
    const world = await newWorld();
    await world.create(Widgets, { metadata: { namespace: 'default', name: 'one' } });
    await world.settle();
    expect((await statusOf(world, 'one')).style).toBe('none');

    await world.create(Secrets, { metadata: style, data: { style: 'bG91ZA==' } });
    await world.settle();
    expect((await statusOf(world, 'one')).style).toBe('bG91ZA==');

    await world.create(ConfigMaps, { metadata: { namespace: 'default', name: 'unread' } });
    const passes = world.reports.length;
    await world.settle();
    expect(world.reports).toHaveLength(passes);
  });

  it('R-6.6 at runs a timer at its time, and not before', async () => {
    const world = await newWorld();
    const wakeAtMs = world.clock.now() + 10 * MINUTE;
    await world.create(Widgets, { metadata: { namespace: 'default', name: 'one' }, spec: { wakeAtMs } });
    await world.at(wakeAtMs - MINUTE);
    expect((await statusOf(world, 'one')).atMs).toBeLessThan(wakeAtMs - 8 * MINUTE);
    await world.at(new Date(wakeAtMs).toISOString());
    expect((await statusOf(world, 'one')).atMs).toBeGreaterThanOrEqual(wakeAtMs);
    await expect(world.at(wakeAtMs - MINUTE)).rejects.toThrow('is no later time');
  });

  it('R-6.6 settle names the last pass when a controller never comes to rest', async () => {
    const world = await newWorld();
    await world.create(Widgets, { metadata: { namespace: 'default', name: 'one' }, spec: { isRestless: true } });
    await expect(world.settle()).rejects.toThrow(/does not come to rest.*one: committed/);
  });
});
