import { describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { ReadOnlyTransport } from '../../lib/adapters/kubernetes/read-only-transport.ts';
import type { Transport } from '../../lib/adapters/kubernetes/transport.ts';
import { ConnectionGuard } from '../../lib/adapters/system/connection-guard.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { Controller } from '../../lib/core/controller.ts';
import { ConfigMaps, Secrets } from '../../lib/core/resource-type.ts';
import type { Target } from '../../lib/core/target.ts';
import { DEFAULT_PASS_OPTIONS } from '../../lib/engine/pass/pass-runner.ts';
import { Registry } from '../../lib/engine/registry.ts';
import { capturePass } from '../../lib/plan/capture-pass.ts';
import { replay } from '../../lib/testing/replay.ts';
import type { World } from '../../lib/testing/world.ts';
import { release, settledWorld, verbsOf, Widgets } from './planned-widgets.ts';

const CANARY = 'canary-81-value';

/** Reads a Secret, and writes whether it exists. */
const controller = release('1', async (_, context) => {
  const secret = await context.get(Secrets, { namespace: 'default', name: 's' });
  return { found: secret === undefined ? 'no' : 'yes' };
});

async function captured(world: World, one: Controller, name = 'a', server: Transport = world.server) {
  using guard = new ConnectionGuard<Target>();
  const transport = new ReadOnlyTransport(server);
  const fixture = await capturePass(
    {
      cluster: 'test',
      live: new KubernetesClusterApi({ transport, clock: world.clock, userAgent: 'evenkeel-plan' }),
      registry: () => new Registry([one]),
      definitions: new Map(),
      pass: DEFAULT_PASS_OPTIONS,
      guard,
      clock: new SystemClock(),
      entropy: world.entropy,
      signal: new AbortController().signal,
    },
    Widgets,
    { namespace: 'default', name },
  );
  return JSON.parse(JSON.stringify(fixture)) as typeof fixture;
}

/** The server of a world that refuses these requests. */
function refusing(world: World, isRefused: (path: string) => boolean, status = 403): Transport {
  return {
    send: async (request) =>
      isRefused(request.path)
        ? { status, headers: {}, text: async () => '{}', chunks: async function* () {} }
        : await world.server.send(request),
  };
}

async function world(): Promise<World> {
  const made = await settledWorld(controller, ['a']);
  const data = { key: Buffer.from(CANARY).toString('base64') };
  const annotations = { note: `the key is ${CANARY}` };
  await made.create(Secrets, { metadata: { namespace: 'default', name: 's', annotations }, data });
  await made.create(ConfigMaps, { metadata: { namespace: 'default', name: 'unread' }, data: { key: 'value' } });
  return made;
}

describe('a capture', () => {
  it('R-6.11 capture holds what the pass read, and nothing else, and only reads', async () => {
    const source = await world();
    source.server.requests.clear();
    const fixture = await captured(source, controller);
    const names = fixture.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([
      'CustomResourceDefinition widgets.test.evenkeel.dev',
      'Widget a',
      'Secret s',
      'ConfigMap a',
    ]);
    expect(fixture.target).toEqual({ kind: 'widgets.test.evenkeel.dev', namespace: 'default', name: 'a' });
    expect(verbsOf(source)).toEqual(['get']);
  });

  it('R-1.24 capture holds no value of a Secret, neither in the Secret nor where it was copied to', async () => {
    const text = JSON.stringify(await captured(await world(), controller));
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(Buffer.from(CANARY).toString('base64'));
    expect(text).toContain('redacted');
  });

  it('R-6.11 replay gives the writes of today’s code when it runs over what the pass read', async () => {
    const fixture = await captured(await world(), controller);
    const same = await replay(fixture, controller);
    expect(same.report).toMatchObject({ end: 'committed', outcome: 'settled' });
    // The pass before had not seen the Secret.
    expect(new Set(same.writes.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`))).toEqual(
      new Set(['patch configmaps a']),
    );
    const fixed = await replay(
      fixture,
      release('2', () => ({ found: 'no' })),
    );
    expect(fixed.writes).toEqual([]);
  });

  it('R-6.11 replay runs the pass when a Secret holds names and small numbers', async () => {
    const source = await settledWorld(controller, ['webshop']);
    const texts = { username: 'webshop', namespace: 'default', port: '1', kind: 'ConfigMap', key: 'metadata' };
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
    await source.create(Secrets, { metadata: { namespace: 'default', name: 's' }, data });
    const fixture = await captured(source, controller, 'webshop');
    const { report, writes } = await replay(fixture, controller);
    expect(report).toMatchObject({ end: 'committed', outcome: 'settled' });
    expect(writes.map(({ name }) => name)).toContain('webshop');
  });

  it('R-1.17 replay fails the pass when it reads what the capture does not hold', async () => {
    const fixture = await captured(await world(), controller);
    const other = release('2', async (_, context) => {
      const secret = await context.get(Secrets, { namespace: 'default', name: 'other' });
      return { found: secret === undefined ? 'no' : 'yes' };
    });
    const { report, writes } = await replay(fixture, other);
    expect(report).toMatchObject({ outcome: 'retry' });
    expect(report?.message).toContain('secrets/default/other, which the capture does not hold');
    expect(writes).toEqual([]);
  });

  it.each([
    ['may not read an object', 403, '/secrets/s', 'secrets/default/s'],
    ['cannot reach an object', 503, '/secrets/s', 'secrets/default/s'],
    ['may not list a kind', 403, '/configmaps?', 'configmaps/default/*'],
  ])('R-6.11 capture throws CAPTURE_INCOMPLETE when the pass %s', async (_, status, path, what) => {
    const source = await world();
    const reading = release('2', async (__, context) => {
      await context.get(Secrets, { namespace: 'default', name: 's' });
      await context.list(ConfigMaps, {
        namespace: 'default',
        labelSelector: 'app.kubernetes.io/managed-by=evenkeel',
      });
      return {};
    });
    const server = refusing(source, (asked) => asked.includes(path), status);
    const error = await captured(source, reading, 'a', server).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CAPTURE_INCOMPLETE', message: expect.stringContaining(what) });
  });

  it('R-6.11 capture throws CAPTURE_INCOMPLETE when the controller goes on after a failed read', async () => {
    const source = await world();
    const tolerant = release('2', async (_, context) => {
      await context.get(Secrets, { namespace: 'default', name: 's' }).catch(() => undefined);
      return {};
    });
    const server = refusing(source, (path) => path.includes('/secrets/s'));
    await expect(captured(source, tolerant, 'a', server)).rejects.toMatchObject({ code: 'CAPTURE_INCOMPLETE' });
  });

  it('R-6.11 capture throws CAPTURE_INCOMPLETE when the pass opens a connection of its own', async () => {
    const connecting = release('2', async () => {
      await fetch('http://127.0.0.1:4711/');
      return {};
    });
    const error = await captured(await world(), connecting).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CAPTURE_INCOMPLETE', message: expect.stringContaining('127.0.0.1:4711') });
  });

  it('R-6.11 capture holds what the pass read when the pass fails for another reason', async () => {
    const failing = release('2', async (_, context) => {
      await context.get(Secrets, { namespace: 'default', name: 's' });
      throw new Error('a fault of the controller');
    });
    const fixture = await captured(await world(), failing);
    expect(fixture.objects.map(({ kind }) => kind)).toContain('Secret');
    expect((await replay(fixture, failing)).report).toMatchObject({ outcome: 'retry' });
  });

  it('R-6.4 capture and replay name what is wrong when there is no such object, file or kind', async () => {
    const source = await world();
    await expect(captured(source, controller, 'missing')).rejects.toMatchObject({ code: 'NO_SUCH_OBJECT' });
    await expect(replay({ v: 2 }, controller)).rejects.toMatchObject({ code: 'INVALID_FIXTURE' });
    const fixture = await captured(source, controller);
    const ofOther = { ...controller, type: ConfigMaps };
    await expect(replay(fixture, ofOther)).rejects.toMatchObject({ code: 'OTHER_KIND' });
  });
});
