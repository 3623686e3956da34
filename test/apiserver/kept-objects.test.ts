import { describe, expect, it } from 'vitest';
import { type JsonObject, jsonText } from '../../lib/apiserver/json.ts';
import type { KeptWrite, ObjectKeeper } from '../../lib/apiserver/state/object-keeper.ts';
import { ApiClient, testServer, widget, widgetDefinition, widgets } from './api-client.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

/** What a file would hold. While it is held up, nothing reaches it. */
class TestKeeper implements ObjectKeeper {
  readonly #objects = new Map<string, KeptWrite>();
  readonly #revisions = new Map<string, number>();
  #pending: KeptWrite[] = [];
  #held: PromiseWithResolvers<void> | undefined;

  keep(write: KeptWrite): void {
    this.#pending.push(write);
  }

  async kept(): Promise<void> {
    while (this.#held !== undefined) await this.#held.promise;
    for (const write of this.#pending.splice(0)) {
      const id = JSON.stringify([write.collection, write.key]);
      if (write.body === undefined) this.#objects.delete(id);
      else this.#objects.set(id, write);
      this.#revisions.set(write.collection, write.revision);
    }
  }

  hold(): void {
    this.#held = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** What a killed process leaves: what was not kept is lost. */
  left() {
    const objects = [...this.#objects.values()].map(({ collection, key, body = '' }) => ({ collection, key, body }));
    return { objects, revisions: new Map(this.#revisions) };
  }
}

function start(keeper: TestKeeper, isFirst = false) {
  const server = testServer({ keeper, ...(!isFirst && { kept: keeper.left() }) });
  return { server, client: new ApiClient(server) };
}

const configMap = (name: string, text = 'x') => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data: { text },
});

describe('an API server whose objects are kept', () => {
  it('R-5.21 a server continues with the objects, UIDs and versions of the previous one', async () => {
    const keeper = new TestKeeper();
    const { client } = start(keeper, true);
    await client.post(DEFINITIONS, widgetDefinition());
    await client.post(widgets, widget('a'));
    await client.post(CONFIG_MAPS, configMap('kept'));
    await client.post(CONFIG_MAPS, configMap('gone'));
    await client.delete(`${CONFIG_MAPS}/gone`);
    const paths = ['/api/v1/namespaces', CONFIG_MAPS, widgets, `${widgets}/a`, `${DEFINITIONS}`];
    const before = await Promise.all(paths.map((path) => client.get(path)));
    const { client: after } = start(keeper);
    expect(await Promise.all(paths.map(async (path) => (await after.get(path)).body))).toEqual(
      before.map(({ body }) => body),
    );
    const { body } = await after.merge(`${widgets}/a`, { spec: { size: 7 } });
    const last = Math.max(...before.map(({ body }) => Number(body.metadata.resourceVersion)));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(last);
    expect(body.metadata.generation).toBe(2);
  });

  it.each([
    ['64-bit numbers', { size: 9_007_199_254_740_993n }],
    ['a member called __proto__', JSON.parse('{"size":1,"extra":{"__proto__":"x"}}')],
    ['text beyond the basic plane', { size: 1, extra: { 𝒜: '\u0000\u2028' } }],
  ])('R-5.21 an object with %s reads the same after a restart', async (_what: string, spec: JsonObject) => {
    const keeper = new TestKeeper();
    const { client, server } = start(keeper, true);
    await client.post(DEFINITIONS, widgetDefinition());
    expect((await client.request('POST', widgets, jsonText({ ...widget('a'), spec }))).status).toBe(201);
    const read = async (from: typeof server) =>
      await (await from.send({ method: 'GET', path: `${widgets}/a`, headers: {} })).text();
    const before = await read(server);
    expect(await read(start(keeper).server)).toBe(before);
    expect(await read(start(keeper).server)).toBe(before);
  });

  it('R-5.7 a watch continues after a restart when its kind has not changed since its version, and gets 410 otherwise', async () => {
    const keeper = new TestKeeper();
    const { client } = start(keeper, true);
    await client.post(CONFIG_MAPS, configMap('a'));
    const { resourceVersion: unchanged } = (await client.get(CONFIG_MAPS)).body.metadata;
    const { resourceVersion: first } = (await client.post(SECRETS, { metadata: { name: 'a' } })).body.metadata;
    await client.post(SECRETS, { metadata: { name: 'b' } });
    await client.delete(`${SECRETS}/b`);
    const { resourceVersion: last } = (await client.get(SECRETS)).body.metadata;
    const { client: after } = start(keeper);

    const unbroken = [unchanged, first, last].map((from) => after.watch(`${CONFIG_MAPS}?resourceVersion=${from}`));
    await after.post(CONFIG_MAPS, configMap('b'));
    for (const going of await Promise.all(unbroken)) {
      expect((await going.take(1))[0]).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      going.close();
    }
    const going = await after.watch(`${SECRETS}?resourceVersion=${last}`);
    await after.post(SECRETS, { metadata: { name: 'c' } });
    expect((await going.take(1))[0]).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'c' } } });
    going.close();
    for (const from of [unchanged, first, String(Number(last) - 1)]) {
      const expired = await after.watch(`${SECRETS}?resourceVersion=${from}`);
      expect((await expired.take(1))[0]).toMatchObject({ type: 'ERROR', object: { code: 410 } });
      expired.close();
    }
  });

  it('R-5.7 a compaction after a restart ends what the restart left open', async () => {
    const keeper = new TestKeeper();
    const { client } = start(keeper, true);
    const { resourceVersion } = (await client.get(CONFIG_MAPS)).body.metadata;
    await client.post(SECRETS, { metadata: { name: 'a' } });
    const { client: after, server } = start(keeper);
    server.compact();
    const expired = await after.watch(`${CONFIG_MAPS}?resourceVersion=${resourceVersion}`);
    expect((await expired.take(1))[0]).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expired.close();
  });

  it('R-5.21 no client gets an answer or a watch event before the write is stored', async () => {
    const keeper = new TestKeeper();
    const { client } = start(keeper, true);
    const watching = await client.watch(CONFIG_MAPS);
    keeper.hold();
    const seen: string[] = [];
    const told = watching.take(1).then(() => seen.push('watch'));
    const written = client.post(CONFIG_MAPS, configMap('a')).then(() => seen.push('writer'));
    const read = client.get(`${CONFIG_MAPS}/a`).then(() => seen.push('reader'));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
    const killed = new ApiClient(testServer({ kept: keeper.left() }));
    expect((await killed.get(`${CONFIG_MAPS}/a`)).status).toBe(404);
    keeper.release();
    await Promise.all([told, written, read]);
    expect(seen.toSorted()).toEqual(['reader', 'watch', 'writer']);
    watching.close();
  });

  it('R-5.21 a definition is deleted with its objects even if a restart interrupts the deletion', async () => {
    const keeper = new TestKeeper();
    const { client } = start(keeper, true);
    await client.post(DEFINITIONS, widgetDefinition());
    await client.post(widgets, widget('held'));
    await client.merge(`${widgets}/held`, { metadata: { finalizers: ['example.com/hold'] } });
    const name = 'widgets.example.com';
    await client.delete(`${DEFINITIONS}/${name}`);
    const { client: after, server } = start(keeper);
    expect((await after.merge(`${widgets}/held`, { metadata: { finalizers: null } })).status).toBe(200);
    await server.idle();
    expect((await after.get(`${DEFINITIONS}/${name}`)).status).toBe(404);
  });

  it('R-5.19 a kept object that cannot be read is named without its content', () => {
    const objects = [{ collection: 'secrets', key: 'default/web', body: '{"data":{"password":"aHVudGVyMg=="}}' }];
    for (const body of [objects[0]?.body ?? '', 'no JSON', '[]']) {
      const kept = {
        objects: [{ collection: 'secrets', key: 'default/web', body }],
        revisions: new Map([['secrets', 4]]),
      };
      expect(() => testServer({ kept })).toThrow(/^the kept object default\/web of secrets cannot be read$/);
    }
  });
});
