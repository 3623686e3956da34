import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { defineGroup, retry, settled, terminal } from '../../../lib/index.ts';
import { configured } from '../../../lib/testing/configured.ts';
import { simulate } from '../../../lib/testing/simulation/simulate.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import { World } from '../../../lib/testing/world.ts';
import { type DnsContext, Zones, zoneController } from './groups.ts';

const NAME = { namespace: 'default', name: 'example' };
const SERVER = 'https://dns.example.com';
const CANARY = 'canary-7d1f"and\\more';

async function newZone(controller: Controller, secrets: Record<string, string> = { 'api-token': CANARY }) {
  const world = new World({
    controllers: configured([controller], { dns: { settings: { server: SERVER }, secrets } }),
  });
  await world.install([Zones.definition]);
  await world.create(Zones, { metadata: NAME, spec: { name: 'example.com' } });
  await world.settle();
  return world;
}

const read = (world: World) => world.user.get(Zones, NAME);
/** What the author is told of the last failure. */
const lastError = (world: World) => (world.errors.at(-1)?.error as Error | undefined)?.message;
const readyOf = ({ status }: KubeObject) => readConditions(status).find(({ type }) => type === 'Ready');

describe('defineGroup', () => {
  it('R-6.9 a controller gets the settings and the secret of its group when a pass runs', async () => {
    const world = await newZone(zoneController(), { 'api-token': `  ${CANARY}\n` });
    const zone = await read(world);
    expect(zone.status).toMatchObject({ server: SERVER, length: CANARY.length });
    expect(readyOf(zone)).toMatchObject({ status: 'True' });
  });

  it('R-6.9 a setting that is left out has its default, also in a nested section, when the schema has one', async () => {
    let seen: unknown;
    const world = await newZone(
      zoneController({
        reconcile: async (_zone, context) => {
          seen = context.settings;
          return settled();
        },
      }),
    );
    expect(seen).toEqual({ server: SERVER, ttl: 300, limits: { zones: 100 } });
    expect(world.registry.groups()).toEqual(['dns']);
  });

  it('R-5.15 the version of a controller changes with the settings of its group and not with its secrets', () => {
    const versionOf = (settings: object, secrets: Record<string, string> = {}) =>
      configured([zoneController()], { dns: { settings, secrets } })[0]?.version;
    const first = versionOf({ server: SERVER });
    expect(first).toMatch(/^1-[0-9a-f]{12}$/);
    expect(versionOf({ server: SERVER, ttl: 300 }, { 'api-token': 'x' })).toBe(first);
    expect(versionOf({ server: SERVER, ttl: 301 })).not.toBe(first);
  });

  it('R-1.30 an object shows that a secret is missing, and recovers when it is there', async () => {
    const secrets: Record<string, string> = {};
    const world = await newZone(zoneController(), secrets);
    expect(readyOf(await read(world))?.message).toBe('The pass failed (SecretMissing). It is retried.');
    expect(lastError(world)).toBe('the test gives group dns no secret api-token. Give it by configured().');
    secrets['api-token'] = CANARY;
    await world.run(900_000);
    expect(readyOf(await read(world))).toMatchObject({ status: 'True' });
  });

  it.each<[string, (context: DnsContext, token: string) => unknown]>([
    ['a status', async (_, token) => ({ outcome: settled(), status: { server: `x${token}y`, length: 1 } })],
    [
      'a condition',
      async (_, token) => ({
        outcome: settled(),
        conditions: [{ type: 'A', status: 'True', reason: 'B', message: token }],
      }),
    ],
    ['a terminal outcome', async (_, token) => terminal('Refused', `refused ${token}`)],
    ['a retried error', async (_, token) => retry(new TerminalError('A', token))],
    [
      'a thrown error',
      async (_, token) => {
        throw new Error(`401 for ${token}`);
      },
    ],
    [
      'a terminal error',
      async (_, token) => {
        throw new TerminalError('Refused', token);
      },
    ],
    [
      'a cause',
      async (_, token) => {
        throw new Error('outer', { cause: new Error(token) });
      },
    ],
    [
      'a failed call',
      (context, token) =>
        context.external(
          'DNS',
          async () => {
            throw new Error(token);
          },
          { timeoutMs: 1_000 },
        ),
    ],
    [
      'an Event',
      async (context, token) => {
        await context.recordEvent({ type: 'Normal', reason: 'A', note: token, action: 'B' });
        return settled();
      },
    ],
    [
      'durable values',
      async (context, token) => {
        await context.saveValues({ token });
        return settled();
      },
    ],
  ])('R-1.24 the text of a secret is neither published, stored nor reported when it is in %s', async (_, act) => {
    const reconcile = async (_zone: unknown, context: DnsContext) =>
      (await act(context, await context.secret('api-token'))) as ReturnType<typeof settled>;
    const world = await newZone(zoneController({ reconcile: reconcile as never }));
    const told = [
      await read(world),
      world.reports,
      world.errors,
      world.logger,
      await world.memory.inventory('test', 'zones.example.com', 0),
    ];
    const errors = world.errors.flatMap(({ error }) => [
      String(error),
      (error as Error).stack,
      String((error as Error).cause),
    ]);
    expect(JSON.stringify([told, errors])).not.toContain('canary-7d1f');
    // Each row fails its pass, also those whose secret would be shown after it.
    expect(world.errors).not.toEqual([]);
  });

  it('R-1.24 a pass that would publish a secret says so on the object, with what to do', async () => {
    const world = await newZone(
      zoneController({
        reconcile: async (_zone, context) => terminal('Refused', `with ${await context.secret('api-token')}`),
      }),
    );
    expect(readyOf(await read(world))?.message).toBe('The pass failed (SecretShown). It is retried.');
    expect(lastError(world)).toBe(
      'the status would show the secret api-token, so nothing of it was published. Leave the secret out of it.',
    );
  });

  it('R-6.9 each object has the value of the settings in the end when the simulator lets anything fail in between', async () => {
    const named = (user: User) => ({ namespace: 'default', name: user.pick(['a', 'b']) });
    const values = { dns: { settings: { server: SERVER }, secrets: { 'api-token': CANARY } } };
    const report = await simulate({
      seeds: 5,
      controllers: configured([zoneController()], values),
      definitions: [Zones.definition],
      actions: { 'writes a zone': (user) => user.put(Zones, { metadata: named(user), spec: { name: 'a.example' } }) },
      check: (cluster) =>
        cluster.list(Zones).flatMap(({ metadata: { name }, status }) => {
          const { server, length } = status as { server?: string; length?: number };
          return server === SERVER && length === CANARY.length ? [] : [`${name} shows ${server}`];
        }),
    });
    expect(report.failure?.timeline).toBeUndefined();
    expect(report.figures.passes).toBeGreaterThan(0);
  });

  it.each<[string, object, RegExp]>([
    ['a name with capitals', { name: 'Dns' }, /group Dns: name: must be 1 to 40 lower-case letters/],
    ['settings that are a text', { name: 'dns', settings: z.string() }, /group dns: settings: must be z\.object/],
    [
      'settings with a transformation',
      { name: 'dns', settings: z.object({}).transform(String) },
      /group dns: settings: must be z\.object/,
    ],
    [
      'a reserved field',
      { name: 'dns', settings: z.object({ secretFiles: z.string() }) },
      /settings\.secretFiles: is evenkeel's own field/,
    ],
    [
      'a section that drops fields',
      {
        name: 'dns',
        settings: z.object({ a: z.strictObject({ b: z.object({ c: z.string() }).prefault({ c: '' }) }) }),
      },
      /settings\.a\.b: write z\.strictObject/,
    ],
    [
      'a secret with capitals',
      { name: 'dns', secrets: { apiToken: 'the token' } },
      /secrets\.apiToken: its name must be/,
    ],
    [
      'a secret without a description',
      { name: 'dns', secrets: { 'api-token': '' } },
      /secrets\.api-token: must say what the secret is/,
    ],
  ])('R-6.4 a definition is refused with its field and the remedy when it has %s', (_, definition, fault) => {
    expect(() => defineGroup(definition as never)).toThrow(fault);
  });

  it.each([
    [{ dns: { settings: {} } }, /dns\.server: /],
    [{ dns: { settings: { server: SERVER, serverr: 1 } } }, /dns: Unrecognized key: "serverr"/],
    [{ dsn: {} }, /dsn: no controller is in a group of this name\. There are: dns/],
  ])('R-6.4 values of a test are refused with their path when they are %j', (values, fault) => {
    expect(() => configured([zoneController()], values)).toThrow(fault);
  });

  it('R-6.4 a secret that the group does not declare is refused with its name and the place to declare it', async () => {
    const world = await newZone(
      zoneController({ reconcile: async (_zone, context) => terminal('A', await context.secret('token' as never)) }),
    );
    expect(readyOf(await read(world))?.message).toBe('The pass failed (UndeclaredSecret). It is retried.');
    expect(lastError(world)).toBe('the controller reads the secret token: declare it in group dns');
  });
});
