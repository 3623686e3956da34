import { describe, expect, it } from 'vitest';
import type { Timers } from '../../lib/apiserver/timers.ts';
import { ApiClient, definitions, testServer, widget, widgetDefinition, widgetServer, widgets } from './api-client.ts';

/** Timers that fire when the test says so. */
class ManualTimers implements Timers {
  readonly #tasks: { dueMs: number; task: () => void }[] = [];
  #nowMs = 0;

  after(delayMs: number, task: () => void): () => void {
    const entry = { dueMs: this.#nowMs + delayMs, task };
    this.#tasks.push(entry);
    return () => {
      const index = this.#tasks.indexOf(entry);
      if (index >= 0) this.#tasks.splice(index, 1);
    };
  }

  get pending(): number {
    return this.#tasks.length;
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#tasks.toSorted((left, right) => left.dueMs - right.dueMs)[0];
      if (next === undefined || next.dueMs > untilMs) break;
      this.#tasks.splice(this.#tasks.indexOf(next), 1);
      this.#nowMs = next.dueMs;
      next.task();
    }
    this.#nowMs = untilMs;
  }
}

function told(events: { type: string; object: { metadata: { name: string } } }[]): string[] {
  return events.map((event) => `${event.type} ${event.object.metadata.name}`);
}

describe('watches of the embedded API server', () => {
  it('R-5.7 a watch from a version sends every later change, in order', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('old'));
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    await client.post(widgets, widget('a'));
    const watching = await client.watch(`${widgets}?resourceVersion=${resourceVersion}`);
    await client.merge(`${widgets}/a`, { spec: { size: 1 } });
    await client.delete(`${widgets}/a`);
    const events = await watching.take(3);
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = events.map((event) => Number(event.object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((left, right) => left - right));
    expect(new Set(versions).size).toBe(3);
    watching.close();
  });

  it('R-5.7 a watch without a version starts with what exists', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('b'));
    await client.post(widgets, widget('a'));
    const watching = await client.watch(widgets);
    await client.post(widgets, widget('c'));
    expect(told(await watching.take(3))).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    watching.close();
  });

  it('R-5.7 a watch sends DELETED for an object that stops matching the selector, and ADDED for one that starts', async () => {
    const { client } = await widgetServer();
    const watching = await client.watch(`${widgets}?labelSelector=on%3Dyes`);
    await client.post(widgets, widget('a'));
    await client.merge(`${widgets}/a`, { metadata: { labels: { on: 'yes' } } });
    await client.merge(`${widgets}/a`, { spec: { size: 1 } });
    const off = await client.merge(`${widgets}/a`, { metadata: { labels: null } });
    await client.delete(`${widgets}/a`);
    await client.post(widgets, widget('b', {}, { labels: { on: 'yes' } }));
    const events = await watching.take(4);
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
    expect(events[2]?.object.metadata.resourceVersion).toBe(off.body.metadata.resourceVersion);
    watching.close();
  });

  it('R-5.7 a watch of one namespace, or of one name, hears nothing of others', async () => {
    const { client } = await widgetServer();
    const inNamespace = await client.watch(widgets);
    const ofName = await client.watch('/apis/example.com/v1/widgets?fieldSelector=metadata.name%3Db');
    await client.post(widgets.replace('default', 'kube-system'), widget('b'));
    await client.post(widgets, widget('a'));
    expect(told(await inNamespace.take(1))).toEqual(['ADDED a']);
    expect(told(await ofName.take(1))).toEqual(['ADDED b']);
    inNamespace.close();
    ofName.close();
  });

  it('R-5.7 a watch sends an ERROR event with the Status of 410 when the history of its version is gone', async () => {
    const { server, client } = await widgetServer();
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    await client.post(widgets, widget('a'));
    server.compact();
    const watching = await client.watch(`${widgets}?resourceVersion=${resourceVersion}`);
    expect(watching.status).toBe(200);
    expect(await watching.next()).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: /^too old resource version: /,
      },
    });
    expect(await watching.next()).toBeUndefined();
  });

  it('R-5.7 history is bounded', async () => {
    const { client } = await widgetServer({ historyLimit: 5 });
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    for (let index = 0; index < 20; index += 1) await client.post(widgets, widget(`w${index}`));
    const watching = await client.watch(`${widgets}?resourceVersion=${resourceVersion}`);
    expect(await watching.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('R-5.8 a watch from a version in the future stays silent until it is passed', async () => {
    const { client } = await widgetServer();
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    const watching = await client.watch(`${widgets}?resourceVersion=${Number(resourceVersion) + 1}`);
    await client.post(widgets, widget('unheard'));
    await client.post(widgets, widget('heard'));
    expect(told(await watching.take(1))).toEqual(['ADDED heard']);
    watching.close();
  });

  it('R-5.7 initial events end with an annotated bookmark', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('a'));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watching = await client.watch(`${widgets}?${query}`);
    const [added, bookmark] = await watching.take(2);
    expect(added).toMatchObject({ type: 'ADDED' });
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Widget',
        apiVersion: 'example.com/v1',
        metadata: {
          resourceVersion: (await client.get(widgets)).body.metadata.resourceVersion,
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    });
    watching.close();
    const refused = await client.get(`${widgets}?watch=true&sendInitialEvents=true`);
    expect(refused.body).toMatchObject({
      code: 422,
      message: expect.stringContaining('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    });
  });

  it('R-5.7 bookmarks come at intervals, and the watch ends when its time is up', async () => {
    const timers = new ManualTimers();
    const { client } = await widgetServer({ timers });
    const watching = await client.watch(`${widgets}?allowWatchBookmarks=true&timeoutSeconds=100`);
    await client.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'other' } });
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    timers.advance(60_000);
    expect(await watching.next()).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });
    timers.advance(40_000);
    expect(await watching.next()).toMatchObject({ type: 'BOOKMARK' });
    expect(await watching.next()).toBeUndefined();
    expect(timers.pending).toBe(0);
  });

  it('R-5.1 a watch gives metadata alone on request', async () => {
    const { client } = await widgetServer();
    const watching = await client.watch(widgets, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    await client.post(widgets, widget('a', { size: 1 }));
    const event = await watching.next();
    expect(event?.object).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: expect.objectContaining({ name: 'a' }),
    });
    watching.close();
  });

  it('R-5.8 after a restore versions go back, watches have ended, and new watches send later changes', async () => {
    const { server, client } = await widgetServer();
    await client.post(widgets, widget('a'));
    const backup = server.snapshot();
    const before = (await client.get(widgets)).body.metadata.resourceVersion;
    const watching = await client.watch(`${widgets}?resourceVersion=${before}`);
    await client.post(widgets, widget('lost'));
    expect(told(await watching.take(1))).toEqual(['ADDED lost']);
    server.restore(backup);
    expect(await watching.next()).toBeUndefined();
    const after = await client.get(widgets);
    expect(after.body.metadata.resourceVersion).toBe(before);
    expect(after.body.items).toHaveLength(1);
    const again = await client.watch(`${widgets}?resourceVersion=${before}`);
    await client.post(widgets, widget('new'));
    expect(told(await again.take(1))).toEqual(['ADDED new']);
    again.close();
  });

  it('R-5.8 a restore removes the kinds that were defined since the backup', async () => {
    const server = testServer();
    const client = new ApiClient(server);
    const empty = server.snapshot();
    const { body } = await client.post(definitions, widgetDefinition());
    const withWidgets = server.snapshot();
    server.restore(empty);
    expect((await client.get(widgets)).status).toBe(404);
    server.restore(withWidgets);
    expect((await client.get(widgets)).status).toBe(200);
    expect((await client.get(`${definitions}/widgets.example.com`)).body.metadata.uid).toBe(body.metadata.uid);
  });
});
