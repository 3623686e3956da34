import { describe, expect, it } from 'vitest';
import { PAUSED_ANNOTATION } from '../../../lib/core/installation.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const PASSWORD = { namespace: 'default', name: 'password' };

interface Setting {
  /** How the controller reads; by default it gets the Secret by name. */
  readonly read?: (context: ReconcileContext) => Promise<unknown>;
  readonly unconditional?: boolean;
  readonly namespace?: string;
}

/**
 * A Widget whose controller reads a Secret. `requests` are the engine's GETs in order: `>` is a start, `<` is a
 * response.
 */
async function setUp({ read, unconditional = true, namespace = 'default' }: Setting = {}) {
  const requests: string[] = [];
  const seen: unknown[] = [];
  const at = new Map<string, () => Promise<unknown>>();
  const reads = read ?? ((context) => context.get(Secrets, { ...PASSWORD, namespace }));
  const wanted = { read: reads };
  const world: World = new World({
    controllers: [
      widgetController({
        reads: [{ type: Secrets, mode: 'watch', unconditional }],
        reconcile: async (widget, context) => {
          const secret = (await wanted.read(context)) as KubeObject | undefined;
          seen.push(secret?.data);
          return sawGeneration(widget);
        },
      }),
    ],
    wrapTransport: (server) => ({
      send: async (request) => {
        const what = /\/(widgets|secrets)(\/|\?|$)/.exec(request.path)?.[1] ?? '';
        if (request.method !== 'GET') return await server.send(request);
        requests.push(`> ${what}`);
        await at.get(`> ${what}`)?.();
        const response = await server.send(request);
        requests.push(`< ${what}`);
        await at.get(`< ${what}`)?.();
        return response;
      },
    }),
  });
  await world.install([WIDGET_DEFINITION]);
  let secret = await world.create(Secrets, {
    metadata: { namespace, name: 'password' },
    data: { value: 'MQ==' },
  });
  const widget = await createWidget(world);
  const worker = world.worker();
  await worker.handle(world.event(Widgets, widget));
  const begin = () => {
    requests.length = 0;
    seen.length = 0;
  };
  begin();
  const editSecret = async (value: string) => {
    secret = await world.edit(Secrets, secret, { data: { value } });
    return world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: secret });
  };
  const editWidget = async (patch: object) => await world.edit(Widgets, widget, patch);
  const item = async () => {
    const { uid } = widget.metadata;
    return await world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });
  };
  return { world, worker, widget, requests, seen, at, wanted, begin, editSecret, editWidget, item };
}

const TOGETHER = ['> secrets', '> widgets', '< secrets', '< widgets'];
const IN_TURN = ['> widgets', '< widgets', '> secrets', '< secrets'];
/** The result of the first read of the Secret was discarded. */
const AGAIN = [...TOGETHER, '> secrets', '< secrets'];

describe('reads with the object', () => {
  it('R-5.11 pass reads its object and its dependency at once when the object is as the last pass recorded it', async () => {
    const { worker, requests, seen, editSecret } = await setUp();
    expect(await worker.handle(await editSecret('Mg=='))).toMatchObject({ end: 'committed' });
    expect(requests).toEqual(TOGETHER);
    expect(seen).toEqual([{ value: 'Mg==' }]);
  });

  it('R-5.11 pass reads its object and its dependency at once when the object is as its event says', async () => {
    const { world, worker, requests, editWidget } = await setUp();
    const edited = await editWidget({ spec: { size: 2 } });
    await worker.handle(world.event(Widgets, edited));
    expect(requests).toEqual(TOGETHER);
  });

  it('R-1.12 pass reads its dependency again when the object has a version that was not known before the lease', async () => {
    const { world, worker, requests, seen, at, editWidget, editSecret } = await setUp();
    const event = await editSecret('Mg==');
    // Both objects change after the Secret was read and before the object was.
    at.set('< secrets', async () => {
      at.clear();
      await editSecret('Mw==');
      await editWidget({ spec: { size: 2 } });
    });
    at.set('> widgets', () => new Promise((resolve) => setImmediate(resolve)));
    await worker.handle(event);
    expect(requests.filter((request) => request === '> secrets')).toHaveLength(2);
    expect(seen).toEqual([{ value: 'Mw==' }]);
    expect(world.reports.at(-1)).toMatchObject({ end: 'committed' });
  });

  it.each<[string, Setting]>([
    ['the kind is not declared unconditional', { unconditional: false }],
    ['the dependency is in another namespace', { namespace: 'kube-system' }],
  ])('R-5.11 pass reads one after the other when %s', async (_, setting) => {
    const { worker, requests, editSecret } = await setUp(setting);
    await worker.handle(await editSecret('Mg=='));
    expect(requests).toEqual(IN_TURN);
  });

  it('R-5.9 pass reads one after the other when the cluster was restored since', async () => {
    const { world, worker, requests, widget } = await setUp();
    await worker.handle(world.event(Widgets, widget, { cause: 'requested', incarnation: 2 }));
    expect(requests).toEqual(IN_TURN);
  });

  it('R-1.8 pass records no version and no dependency when it does not use what it read', async () => {
    const { world, worker, requests, wanted, widget, item } = await setUp();
    wanted.read = async () => undefined;
    await worker.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(requests.filter((request) => request === '> secrets')).toHaveLength(1);
    expect(await item()).toMatchObject({ versions: {}, edges: [] });
    expect((await world.memory.readers('test', 'secrets/default/password')).items).toEqual([]);
  });

  it('R-1.8 pass that runs again reads all of it again, one after the other', async () => {
    const { world, worker, requests, seen, wanted, editSecret } = await setUp();
    const event = await editSecret('Mg==');
    const { read } = wanted;
    wanted.read = async (context) => {
      const first = await read(context);
      wanted.read = read;
      await world.worker('worker-2').handle(await editSecret('Mw=='));
      return first;
    };
    await worker.handle(event);
    expect(seen).toEqual([{ value: 'Mg==' }, { value: 'Mw==' }]);
    expect(requests).toEqual([...TOGETHER, ...IN_TURN]);
  });

  it('R-1.17 pass reads the dependency again when its controller asks for an authoritative read', async () => {
    const { worker, requests, editSecret } = await setUp({ read: (context) => context.getAgain(Secrets, PASSWORD) });
    await worker.handle(await editSecret('Mg=='));
    expect(requests).toEqual(AGAIN);
  });

  it('R-1.8 pass reads the dependency again when its controller has listed the kind before', async () => {
    const { worker, requests, editSecret } = await setUp({
      read: async (context) => {
        await context.list(Secrets, { namespace: 'default' });
        return await context.get(Secrets, PASSWORD);
      },
    });
    await worker.handle(await editSecret('Mg=='));
    expect(requests).toEqual([...AGAIN, '> secrets', '< secrets']);
  });

  it('R-1.17 pass fails as for any read when the early read fails', async () => {
    const { world, worker, requests, editSecret } = await setUp();
    const event = await editSecret('Mg==');
    const fault = { status: 403, reason: 'Forbidden' };
    const injected = world.server.inject({ match: { resource: 'secrets', verb: 'get' }, fault });
    expect(await worker.handle(event)).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'ApiForbidden' });
    expect([injected.hits, requests]).toEqual([1, TOGETHER]);
  });

  it.each<[string, object]>([
    ['paused', { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } }],
    ['deleting', { metadata: { finalizers: ['other.example/held'] } }],
  ])('R-5.11 pass reads only the object when it is %s since the last pass', async (what, patch) => {
    const { world, worker, widget, requests, begin, editWidget } = await setUp();
    await editWidget(patch);
    if (what === 'deleting') await world.remove(Widgets, widget);
    await worker.handle(world.event(Widgets, await world.read(Widgets, widget)));
    begin();
    await worker.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(requests).toEqual(['> widgets', '< widgets']);
  });

  it('R-5.11 pass reads only the object when its event says that the object is gone', async () => {
    const { world, worker, widget, requests } = await setUp();
    await world.remove(Widgets, widget);
    expect(await worker.handle(world.event(Widgets, widget, { cause: 'deleted' }))).toMatchObject({ end: 'forgotten' });
    expect(requests).toEqual(['> widgets', '< widgets']);
  });
});
