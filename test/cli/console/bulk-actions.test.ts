import { describe, expect, it } from 'vitest';
import type { BulkReport, BulkView, DeadLetterView, ObjectView } from '../../../cli/console/api-types.ts';
import { PAUSED_ANNOTATION } from '../../../lib/core/installation.ts';
import { Events } from '../../../lib/core/resource-type.ts';
import { Widgets } from '../../support/widget.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { type ConsoleWorld, consoleWorld } from './console-world.ts';
import { WIDGETS } from './many-objects.ts';

const FAILING = { filter: { state: 'failing' }, limit: 10, perSecond: 2 };

/** Three objects fail, and one does not. */
async function scene(options: Parameters<typeof consoleWorld>[0] = {}) {
  const made = await consoleWorld(options);
  for (const name of ['a', 'b', 'c']) await made.reconcile(name, { ends: 'retry' });
  await made.reconcile('fine', {});
  return { made, client: apiClient(made.source) };
}

const named = (name: string) => ({ kind: WIDGETS, namespace: 'default', name });

async function report(client: ApiClient): Promise<BulkReport> {
  const { report } = await client.get<BulkView>('bulk');
  if (report === undefined) throw new Error('no action for many objects was started');
  return report;
}

/** Lets time pass until the action has ended. */
async function ended({ world }: ConsoleWorld, client: ApiClient): Promise<BulkReport> {
  for (let second = 0; second < 60; second += 1) {
    const now = await report(client);
    if (now.state !== 'running') return now;
    await world.clock.advance(1_000);
  }
  throw new Error('the action does not end');
}

async function causesOf(client: ApiClient, name: string): Promise<readonly string[] | undefined> {
  return (await client.get<ObjectView>('object', named(name))).explanation.passes[0]?.causes;
}

async function eventNotes({ source }: ConsoleWorld): Promise<string[]> {
  const { items } = (await source.inspection.api?.list(Events, { namespace: 'default', limit: 100 })) ?? { items: [] };
  return items.map((event) => `${event.reason} of ${(event.regarding as { name: string }).name}: ${event.note}`).sort();
}

async function annotation({ world }: ConsoleWorld, name: string): Promise<string | undefined> {
  const object = await world.user.get(Widgets, { namespace: 'default', name });
  return object.metadata.annotations?.[PAUSED_ANNOTATION];
}

describe('an action for everything that a filter shows', () => {
  it('R-6.10 the console starts a pass of each shown object, and history and Events name who asked', async () => {
    const { made, client } = await scene();
    expect(await client.post('bulk-start', { action: 'requeue', ...FAILING })).toEqual({
      status: 200,
      body: { done: 'Start passes: started for 3 objects.' },
    });
    expect(await ended(made, client)).toEqual({
      title: 'Start passes',
      state: 'ended',
      limit: 3,
      done: 3,
      failed: 0,
      failures: [],
    });
    await made.world.drain();
    for (const name of ['a', 'b', 'c']) expect(await causesOf(client, name)).toContain('requested by ann@laptop');
    expect(await causesOf(client, 'fine')).toEqual(['updated']);
    expect((await eventNotes(made)).filter((note) => note.startsWith('PassRequested'))).toEqual(
      ['a', 'b', 'c'].map((name) => `PassRequested of ${name}: ann@laptop requested a pass`),
    );
  });

  it('R-6.10 the console acts on no more objects in a second than the person confirmed', async () => {
    const { made, client } = await scene();
    await client.post('bulk-start', { action: 'requeue', ...FAILING });
    const done: number[] = [];
    for (const ms of [0, 499, 1, 499, 1]) {
      await made.world.clock.advance(ms);
      done.push((await report(client)).done);
    }
    expect(done).toEqual([1, 1, 2, 2, 3]);
  });

  it('R-6.10 the console acts on the first objects only when the limit is lower than their number', async () => {
    const { made, client } = await scene();
    await client.post('bulk-start', { action: 'requeue', ...FAILING, limit: 2 });
    expect(await ended(made, client)).toMatchObject({ limit: 2, done: 2 });
    await made.world.drain();
    expect(await causesOf(client, 'b')).toContain('requested by ann@laptop');
    expect(await causesOf(client, 'c')).not.toContain('requested by ann@laptop');
  });

  it('R-6.10 the report names each object that failed and why, and the others are done', async () => {
    const { made, client } = await scene();
    const { metadata } = await made.world.user.get(Widgets, { namespace: 'default', name: 'b' });
    await made.world.user.delete(
      Widgets,
      { namespace: 'default', name: 'b' },
      { preconditions: { uid: metadata.uid } },
    );
    await client.post('bulk-start', { action: 'pause', ...FAILING });
    const { done, failed, failures } = await ended(made, client);
    expect([done, failed, failures.map(({ name }) => name)]).toEqual([2, 1, ['Widget default/b']]);
    expect(failures[0]?.error).toMatch(/not found|does not exist|NotFound/i);
    expect([await annotation(made, 'a'), await annotation(made, 'c')]).toEqual(['true', 'true']);
  });

  it('R-1.11 the console does not pause an object when its name belongs to another UID now', async () => {
    const { made, client } = await scene();
    await client.get('objects');
    const at = { namespace: 'default', name: 'b' };
    const { metadata } = await made.world.user.get(Widgets, at);
    await made.world.user.delete(Widgets, at, { preconditions: { uid: metadata.uid } });
    await made.world.create(Widgets, { metadata: { name: 'b', namespace: 'default' }, spec: {} } as never);
    const { status, body } = await client.post('pause-object', named('b'));
    expect([status, body]).toEqual([502, { error: 'another Widget has this name now: nothing was changed.' }]);
    expect(await annotation(made, 'b')).toBeUndefined();
  });

  it('R-6.10 an action that is stopped acts on no other object, and another one is refused until then', async () => {
    const { made, client } = await scene();
    await client.post('bulk-start', { action: 'requeue', ...FAILING });
    await made.world.clock.advance(0);
    const second = await client.post('bulk-start', { action: 'requeue', ...FAILING });
    expect(second.status).toBe(400);
    expect((await client.post('bulk-stop')).body).toEqual({ done: 'The action is stopped.' });
    await made.world.clock.advance(60_000);
    expect(await report(client)).toMatchObject({ state: 'stopped', done: 1 });
    expect((await client.post('bulk-start', { action: 'requeue', ...FAILING })).status).toBe(200);
  });

  it('R-6.7 R-6.10 pause and resume set the annotation of each object, with who did it in history and Events', async () => {
    const { made, client } = await scene();
    await client.post('bulk-start', { action: 'pause', filter: { text: 'fine' }, limit: 1, perSecond: 1 });
    await ended(made, client);
    await made.world.drain();
    expect(await annotation(made, 'fine')).toBe('true');
    const paused = await client.get<ObjectView>('object', named('fine'));
    expect(paused).toMatchObject({ pausedByAnnotation: true, explanation: { lastOutcome: { type: 'paused' } } });
    expect(paused.explanation.passes[0]?.causes).toContain('requested by ann@laptop (pause)');
    await made.world.clock.advance(2_000);
    await client.post('bulk-start', { action: 'resume', filter: { state: 'paused' }, limit: 1, perSecond: 1 });
    expect(await ended(made, client)).toMatchObject({ title: 'Resume', done: 1 });
    await made.world.drain();
    expect(await annotation(made, 'fine')).toBeUndefined();
    expect((await client.get<ObjectView>('object', named('fine'))).row.counted).toBe('ready');
    const notes = await eventNotes(made);
    expect(notes).toContain('ObjectPaused of fine: ann@laptop paused the object');
    expect(notes).toContain('ObjectResumed of fine: ann@laptop resumed the object');
  });

  it('R-6.4 the console says how to pause objects when it does not reach the cluster', async () => {
    const { made, client } = await scene({ api: false });
    const { status, body } = await client.post('bulk-start', { action: 'pause', ...FAILING });
    expect([status, (body as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('kubectl annotate with evenkeel.dev/paused=true'),
    ]);
    expect((await client.post('pause-object', named('a'))).status).toBe(400);
    expect((await client.post('bulk-start', { action: 'requeue', ...FAILING })).status).toBe(200);
    expect(await ended(made, client)).toMatchObject({ done: 3, failed: 0 });
  });

  it('R-6.10 only the dead letters that the filter shows are sent again, up to the limit', async () => {
    const letters = ['one bad', 'two bad', 'three bad', 'good'].map((reason, at) => ({
      messageId: `m${at}`,
      body: '{}',
      reason,
      sentAtMs: at,
    }));
    const { made, client } = await scene({ letters });
    const shown = await client.get<DeadLetterView>('dead-letters', { text: 'bad' });
    expect([shown.selected, shown.queues[0]?.selected, shown.queues[0]?.count]).toEqual([3, 3, 4]);
    await client.post('bulk-start', { action: 'redrive', filter: { text: 'bad' }, limit: 2, perSecond: 1 });
    expect(await ended(made, client)).toMatchObject({ title: 'Send again', done: 2, failed: 0 });
    const queue = 'evenkeel-local-widgets-events-dead';
    expect(made.letters.sent).toEqual([`${queue} m0`, `${queue} m1`]);
    expect((await client.get<DeadLetterView>('dead-letters', { text: 'bad' })).selected).toBe(1);
  });

  it.each([
    { action: 'requeue', filter: {}, limit: 0, perSecond: 1 },
    { action: 'requeue', filter: {}, limit: 1_001, perSecond: 1 },
    { action: 'requeue', filter: {}, limit: 1, perSecond: 21 },
    { action: 'requeue', filter: {}, limit: 1 },
    { action: 'delete', filter: {}, limit: 1, perSecond: 1 },
    { action: 'requeue', filter: { state: 'broken' }, limit: 1, perSecond: 1 },
    { action: 'requeue', filter: { text: 'nobody' }, limit: 1, perSecond: 1 },
  ])('R-6.4 the server refuses an action for many objects when its body is %j', async (body) => {
    const { made, client } = await scene();
    expect((await client.post('bulk-start', body)).status).toBe(400);
    expect((await client.get<BulkView>('bulk')).report).toBeUndefined();
    expect(made.letters.sent).toEqual([]);
  });
});
