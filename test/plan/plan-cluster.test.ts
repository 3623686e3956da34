import { createConnection } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConfigMaps, Secrets } from '../../lib/core/resource-type.ts';
import { Registry } from '../../lib/engine/registry.ts';
import { sawGeneration, widgetController } from '../support/widget.ts';
import { createWidget, planWorld, release, settledWorld, shown, verbsOf, Widgets } from './planned-widgets.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const first = release('1', ({ metadata }) => ({ greeting: `hello ${metadata.name}` }));

describe('a plan', () => {
  it('R-6.11 plan reports no change when the version that runs now has settled every object', async () => {
    const world = await settledWorld(first, NAMES);
    const { report, refusedWrites } = await planWorld(world, first);
    expect(report).toMatchObject({ unchanged: 4, changed: 0, objects: [], errors: [], outcomes: [] });
    expect(verbsOf(world)).toEqual(['get', 'list']);
    expect(refusedWrites).toBe(0);
  });

  it('R-6.11 plan reports exactly the fields that the new version then writes, and writes none of them itself', async () => {
    const world = await settledWorld(first, NAMES);
    const next = release('2', ({ metadata: { name } }) => ({
      greeting: name === 'b' ? 'bye' : `hello ${name}`,
      ...(name === 'c' && { more: '1' }),
    }));
    const { report } = await planWorld(world, next);
    expect(report.objects).toMatchObject([
      {
        change: 'applied',
        kind: 'configmaps',
        name: 'b',
        fields: [{ path: 'data.greeting', before: 'hello b', after: 'bye' }],
      },
      { change: 'applied', kind: 'configmaps', name: 'c', fields: [{ path: 'data.more', after: '1' }] },
    ]);
    expect(report).toMatchObject({ unchanged: 2, changed: 2, deletedObjects: 0, restartedPods: 0, touchedSecrets: 0 });
    expect(verbsOf(world)).toEqual(['get', 'list']);
    const deployed = world.worker('next', { registry: new Registry([next]) });
    for (const widget of (await world.user.list(Widgets)).items) {
      await deployed.handle(world.event(Widgets, widget, { cause: 'requested' }));
    }
    const writes = world.server.requests.writes({ userAgent: 'evenkeel' });
    const written = new Set(writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`));
    expect([...written]).toEqual(['patch configmaps b', 'patch configmaps c']);
  });

  it('R-6.11 plan lists what a new object would create and what its status would be when the object has had no pass', async () => {
    const world = await settledWorld(first, []);
    await createWidget(world, 'new');
    const { report } = await planWorld(world, first);
    expect(shown(report)).toEqual(['created configmaps new', 'status widgets.test.evenkeel.dev new']);
    expect(report.objects[1]?.fields).toEqual([{ path: 'status.seen', after: 1 }]);
    expect(report.objects[0]?.by).toEqual([{ kind: 'widgets.test.evenkeel.dev', namespace: 'default', name: 'new' }]);
  });

  it('R-6.11 plan lists deletions first when the new version deletes objects', async () => {
    const world = await settledWorld(first, NAMES);
    const next = widgetController({
      version: '2',
      reconcile: async (widget, context) => {
        const found = await context.get(ConfigMaps, { namespace: 'default', name: widget.metadata.name });
        if (found !== undefined && widget.metadata.name > 'b') await context.delete(ConfigMaps, found);
        return { ...sawGeneration(widget), status: { seen: widget.metadata.name === 'a' ? 7 : 1 } };
      },
    });
    const { report } = await planWorld(world, next);
    expect(shown(report)).toEqual([
      'deleted configmaps c',
      'deleted configmaps d',
      'status widgets.test.evenkeel.dev a',
    ]);
    expect(report).toMatchObject({ deletedObjects: 2, changed: 3, unchanged: 1 });
  });

  it('R-1.17 plan fails an object, and plans no creation, when the cluster refuses a read', async () => {
    const world = await settledWorld(first, NAMES);
    const allow = world.server.deny({ verb: 'get', resource: 'configmaps', name: 'b' });
    const { report } = await planWorld(world, first);
    allow();
    expect(report).toMatchObject({ objects: [], unchanged: 3 });
    expect(report.errors).toMatchObject([{ kind: 'widgets.test.evenkeel.dev', name: 'b' }]);
    expect(report.errors[0]?.error).toMatch(/Forbidden/);
  });

  it('R-1.17 plan reports a kind, and none of its objects as absent, when the cluster refuses the list', async () => {
    const world = await settledWorld(first, NAMES);
    world.server.deny({ verb: 'list', resource: 'widgets' });
    const { report } = await planWorld(world, first);
    expect(report.objects).toEqual([]);
    expect(report.errors).toMatchObject([{ kind: 'widgets.test.evenkeel.dev', name: '' }]);
  });

  it('R-1.24 plan reads no Secret whole, and none by a list of values, when no pass reads one', async () => {
    const world = await settledWorld(first, NAMES);
    await world.create(Secrets, { metadata: { namespace: 'default', name: 's' }, data: { key: 'dmFsdWU=' } });
    await planWorld(world, first);
    const plans = world.server.requests.find({ userAgent: 'evenkeel-plan', resource: 'secrets' });
    expect(plans.map(({ verb }) => verb)).toEqual(['list']);
  });

  it('R-1.24 plan hides each value that came from a Secret, wherever the new version writes it', async () => {
    const canary = 'canary-81-value';
    const world = await settledWorld(first, NAMES);
    const data = { key: Buffer.from(`${canary}\n`).toString('base64') };
    await world.create(Secrets, { metadata: { namespace: 'default', name: 's' }, data });
    const next = release('2', async ({ metadata: { name } }, context) => {
      const secret = await context.get(Secrets, { namespace: 'default', name: 's' });
      const { key = '' } = (secret?.data ?? {}) as Record<string, string>;
      const value = Buffer.from(key, 'base64').toString().trim();
      if (name === 'd') throw new Error(`failed with ${value}`);
      return { a: { plain: `x${value}y` }, b: { encoded: key }, c: { [value]: 'name' } }[name] as Record<
        string,
        string
      >;
    });
    const { report } = await planWorld(world, next);
    const text = JSON.stringify(report);
    expect(shown(report)).toEqual(['applied configmaps a', 'applied configmaps b', 'applied configmaps c']);
    expect(report.objects[0]?.fields).toContainEqual({ path: 'data.plain', hidden: 'changed' });
    expect(text).not.toContain(canary);
    expect(text).not.toContain(data.key);
  });

  it('R-1.24 plan hides the address and the stack of a refused connection when they contain a value of a Secret', async () => {
    const world = await settledWorld(first, ['a']);
    const data = { dsn: Buffer.from('canary-81\ncanary-82').toString('base64') };
    await world.create(Secrets, { metadata: { namespace: 'default', name: 's' }, data });
    const next = release('2', async (_, context) => {
      const secret = await context.get(Secrets, { namespace: 'default', name: 's' });
      const { dsn = '' } = (secret?.data ?? {}) as Record<string, string>;
      const value = Buffer.from(dsn, 'base64').toString();
      // A function may be named after a value, and its name is part of the stack.
      const opens = {
        [`open ${value.slice(0, 9)}`]: () => createConnection({ host: `${value}.example.com`, port: 443 }),
      };
      for (const open of Object.values(opens)) open();
      return { greeting: 'hello' };
    });
    const { report } = await planWorld(world, next);
    expect(report.refusedConnections).toHaveLength(1);
    expect(JSON.stringify(report)).not.toMatch(/canary/);
    expect(report.refusedConnections[0]?.stack.join('\n')).toContain('plan-cluster.test.ts');
  });

  it('R-1.24 plan shows only the names of the fields when a Secret changes', async () => {
    const world = await settledWorld(first, ['a']);
    const next = widgetController({
      version: '2',
      owns: [Secrets],
      reads: [],
      reconcile: async (widget, context) => {
        const metadata = { namespace: 'default', name: 'made', annotations: { note: 'pw=made-value-1' } };
        const found = await context.get(Secrets, metadata);
        const desired = { apiVersion: 'v1', kind: 'Secret', metadata, data: { pw: 'bWFkZS12YWx1ZS0x' } };
        if (found === undefined) await context.create(Secrets, desired);
        return sawGeneration(widget);
      },
    });
    const { report } = await planWorld(world, next);
    expect(report.touchedSecrets).toBe(1);
    expect(report.objects[0]).toMatchObject({ change: 'created', kind: 'secrets', name: 'made' });
    expect(report.objects[0]?.fields).toContainEqual({ path: 'data.pw', hidden: 'changed' });
    expect(JSON.stringify(report)).not.toMatch(/made-value|bWFkZS/);
  });

  it('R-6.11 plan refuses a connection that a pass opens, and goes on with the other objects', async () => {
    const world = await settledWorld(first, NAMES);
    const next = release('2', ({ metadata: { name } }) => {
      if (name === 'b') createConnection({ host: '192.0.2.1', port: 443 });
      return { greeting: name === 'c' ? 'bye' : `hello ${name}` };
    });
    const { report } = await planWorld(world, next);
    expect(report.refusedConnections).toMatchObject([
      { by: { kind: 'widgets.test.evenkeel.dev', namespace: 'default', name: 'b' }, to: '192.0.2.1:443' },
    ]);
    expect(report.refusedConnections[0]?.stack.join('\n')).toContain('plan-cluster.test.ts');
    expect(shown(report)).toEqual(['applied configmaps c']);
  });

  it('R-6.11 plan reports an external write instead of making it, and makes the reads that its group declares', async () => {
    const world = await settledWorld(first, ['a', 'b']);
    const made: string[] = [];
    const clients = {
      find: async (name: string) => {
        made.push(`find ${name}`);
        return name === 'a' ? undefined : { name };
      },
      make: async (name: string) => made.push(`make ${name}`),
    };
    const { report } = await planWorld(world, first, {
      controllers: (external) => {
        const guarded = external.guard('widgets', clients, ['find']);
        const reconcile = async (widget: Parameters<typeof sawGeneration>[0]) => {
          const { name } = widget.metadata;
          if ((await guarded.find(name)) === undefined) await guarded.make(name);
          return sawGeneration(widget);
        };
        return [widgetController({ version: '2', reconcile })];
      },
    });
    expect(made.filter((call) => call.startsWith('make'))).toEqual([]);
    expect(made).toContain('find a');
    expect(report.externalCalls).toEqual([
      { by: { kind: 'widgets.test.evenkeel.dev', namespace: 'default', name: 'a' }, call: 'widgets make' },
    ]);
    expect(report).toMatchObject({ objects: [], errors: [] });
  });

  it('R-6.11 plan ends and names an object when the object never settles', async () => {
    const world = await settledWorld(first, ['a']);
    let size = 10;
    const next = widgetController({
      version: '2',
      reads: [{ type: Widgets, mode: 'watch' }],
      reconcile: async (widget, context) => {
        size += 1;
        await context.mergePatch(Widgets, widget, { spec: { size } });
        return sawGeneration(widget);
      },
    });
    const { report } = await planWorld(world, next);
    expect(report.errors).toMatchObject([{ name: 'a', error: expect.stringContaining('did not settle') }]);
  });
});
