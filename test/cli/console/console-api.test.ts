import { describe, expect, it } from 'vitest';
import { ConsoleApi } from '../../../cli/console/answer-request.ts';
import type { DeadLetterView, ObjectPage, ObjectView, Overview } from '../../../cli/console/api-types.ts';
import type { ConsoleSource } from '../../../cli/console/console-source.ts';
import { FirstItems } from '../../../cli/console/inventory-scan.ts';
import { Events, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { Widgets } from '../../support/widget.ts';
import { consoleWorld, HOSTILE, SECRET_VALUE } from './console-world.ts';
import { manyObjects } from './many-objects.ts';

function apiOf(source: ConsoleSource): ConsoleApi {
  return new ConsoleApi(source, (error) => (error instanceof Error ? error.name : 'error'));
}

async function get<View>(
  source: ConsoleSource,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<View> {
  const answer = await apiOf(source).answer({
    method: 'GET',
    path,
    query: new URLSearchParams(query),
    body: undefined,
  });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body as View;
}

async function post(source: ConsoleSource, path: string, body: unknown = {}) {
  return await apiOf(source).answer({ method: 'POST', path, query: new URLSearchParams(), body });
}

const WIDGETS = kindId(Widgets);
const named = (name: string) => ({ kind: WIDGETS, namespace: 'default', name });

async function eventNotes(source: ConsoleSource): Promise<string[]> {
  const { items } = (await source.inspection.api?.list(Events, { namespace: 'default', limit: 100 })) ?? { items: [] };
  return items.map((event) => `${event.reason}: ${event.note}`);
}

describe('what the console shows', () => {
  it('R-6.10 the overview counts objects by kind and state, passes, queue delay, backlog and dead letters', async () => {
    const { source, reconcile, world } = await consoleWorld({
      letters: [{ messageId: 'm1', body: '{}', sentAtMs: 0 }],
    });
    await reconcile('ready', {});
    await reconcile('lacking', { secret: 'absent' });
    await reconcile('failing', { ends: 'retry' });
    await reconcile('broken', { ends: 'terminal' });
    const overview = await get<Overview>(source, 'overview');
    expect(overview.kinds).toEqual([
      { kind: 'Widget', kindId: WIDGETS, group: 'widgets', total: 4, counts: { ready: 1, notReady: 1, failing: 2 } },
    ]);
    expect(overview).toMatchObject({
      passes: { lastMinute: 4, perSecond: 0.1, queueDelayMs: { median: 0, highest: 0 } },
      deadLetters: 1,
      backlog: [
        { queue: 'widgets events', count: 0 },
        { queue: 'widgets resync', count: 0 },
      ],
      clusterState: { paused: false, incarnation: 1 },
    });
    expect(overview.failing.map(({ name }) => name).sort()).toEqual(['broken', 'failing']);
    expect(overview.nextDeadlines[0]).toMatchObject({ name: 'failing', nextWhy: 'backoff after 1 failure' });
    expect(overview.now).toBe(new Date(world.clock.now()).toISOString());
  });

  it('R-6.10 the overview reads the table once when several pages ask at the same time', async () => {
    const { source, reconcile } = await consoleWorld();
    await reconcile('one', {});
    let reads = 0;
    const store = new Proxy(source.inspection.store, {
      get(target, name: keyof StateStore) {
        if (name !== 'inventory') return Reflect.get(target, name) as unknown;
        return (...args: Parameters<StateStore['inventory']>) => {
          reads += 1;
          return target.inventory(...args);
        };
      },
    });
    const api = apiOf({ ...source, inspection: { ...source.inspection, store } });
    const ask = () => api.answer({ method: 'GET', path: 'overview', query: new URLSearchParams(), body: undefined });
    await ask();
    const once = reads;
    await Promise.all([ask(), ask(), ask()]);
    expect(reads).toBe(once);
  });

  it.each([
    ['ready', {}, ['Nothing is wrong: the last pass ended as it should.']],
    [
      'lacking',
      { secret: 'absent' },
      [
        'Ready is False: the Secret absent does not exist.',
        'It reads secrets default/absent, which does not exist. A pass starts when it is created.',
      ],
    ],
    ['failing', { ends: 'retry' }, ['The last pass failed: the API server refused to read secrets: RBAC of evenkeel.']],
    [
      'broken',
      { ends: 'terminal' },
      [
        'The last pass failed: spec.size is not a number.',
        'No retry can help: the object, or what it reads, must be changed.',
      ],
    ],
  ] as const)('R-6.10 the panel why names the cause first when an object is %s', async (name, spec, why) => {
    const { source, reconcile, world } = await consoleWorld();
    await world.store.holdRelay('test', 'relay', world.clock.now(), world.clock.now() + 60_000);
    await reconcile(name, spec);
    const view = await get<ObjectView>(source, 'object', named(name));
    expect(view.why.slice(0, why.length)).toEqual(why);
  });

  it('R-6.10 an object shows its conditions, passes, what it reads, its deadline and who paused the cluster', async () => {
    const { source, reconcile, world } = await consoleWorld();
    await reconcile('web', { secret: 'token' });
    await world.store.setPaused('test', true, { by: 'bob@desk', atMs: world.clock.now() });
    const view = await get<ObjectView>(source, 'object', named('web'));
    expect(view.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'AllSatisfied' }]);
    expect(view.explanation).toMatchObject({
      reads: [{ kind: 'secrets', namespace: 'default', name: 'token' }],
      passes: [{ outcome: 'settled', causes: ['updated'], writes: { count: 1, fieldManager: 'evenkeel-widget' } }],
      clusterState: { paused: true, pauseNote: { by: 'bob@desk' } },
    });
    expect(view.why[0]).toBe('bob@desk paused reconciliation of the cluster. No pass begins until it is resumed.');
    expect(view.ownedKinds).toEqual(['configmaps']);
  });

  it('R-1.24 no answer holds a value of a Secret or its encoding', async () => {
    const { source, reconcile } = await consoleWorld();
    await reconcile('web', { secret: 'token' });
    const answers = [
      await get(source, 'overview'),
      await get(source, 'objects'),
      await get(source, 'object', named('web')),
      await get(source, 'cluster'),
      await get(source, 'dead-letters'),
      await post(source, 'requeue', named('web')),
    ];
    const text = JSON.stringify(answers);
    expect(text).toContain('token');
    expect(text).not.toContain(SECRET_VALUE);
    expect(text).not.toContain(Buffer.from(SECRET_VALUE).toString('base64'));
    // A Secret has no page, because no controller reconciles Secrets.
    const { status } = await apiOf(source).answer({
      method: 'GET',
      path: 'object',
      query: new URLSearchParams({ kind: kindId(Secrets), namespace: 'default', name: 'token' }),
      body: undefined,
    });
    expect(status).toBe(400);
  });

  it.each([
    [{}, 400],
    [named('nobody'), 404],
    [{ kind: WIDGETS, namespace: 'default', name: '../secrets/token' }, 400],
    [{ kind: WIDGETS, namespace: '..', name: 'web' }, 400],
    [{ kind: WIDGETS, namespace: 'a%2f', name: 'web' }, 400],
    [{ kind: '__proto__', namespace: 'default', name: 'web' }, 400],
  ])('R-6.4 the console answers a sentence when no object has the address %j', async (query, expected) => {
    const { source } = await consoleWorld();
    const answer = await apiOf(source).answer({
      method: 'GET',
      path: 'object',
      query: new URLSearchParams(query),
      body: undefined,
    });
    expect(answer.status).toBe(expected);
    expect((answer.body as { error: string }).error).toMatch(/[a-z].*\.$/);
  });

  it('R-6.10 the API answers text from outside as it is, and never as a part of a page', async () => {
    const { source, reconcile } = await consoleWorld({
      letters: [
        { messageId: HOSTILE, body: JSON.stringify({ kind: HOSTILE, name: HOSTILE }), reason: HOSTILE, sentAtMs: 0 },
      ],
    });
    await reconcile('web', { ends: 'terminal', message: HOSTILE });
    const view = await get<ObjectView>(source, 'object', named('web'));
    expect(view.explanation.lastOutcome?.message).toContain('<script>');
    const letters = await get<DeadLetterView>(source, 'dead-letters');
    expect(letters.queues[0]?.letters[0]).toMatchObject({ reason: HOSTILE, subject: `message ${HOSTILE}` });
  });
});

describe('what the console does', () => {
  it('R-6.10 a requeue starts a pass, and the history and an Event name who asked', async () => {
    const { source, reconcile, world } = await consoleWorld();
    await reconcile('web', {});
    expect((await post(source, 'requeue', named('web'))).body).toEqual({
      done: 'A pass of Widget default/web was requested.',
    });
    await world.drain();
    const view = await get<ObjectView>(source, 'object', named('web'));
    expect(view.explanation.passes[0]?.causes).toEqual(['requested by ann@laptop']);
    expect(await eventNotes(source)).toContain('PassRequested: ann@laptop requested a pass');
  });

  it('R-1.10 the console shows, counts and sends no dead letters of a stage when its name only begins with the own one', async () => {
    const letters = [{ messageId: 'm1', body: '{}', sentAtMs: 0 }];
    const made = await consoleWorld({ letters, stage: 'prod', others: ['prod-eu', 'prod-widgets'] });
    expect((await get<Overview>(made.source, 'overview')).deadLetters).toBe(1);
    expect((await get<DeadLetterView>(made.source, 'dead-letters')).queues.map(({ name }) => name)).toEqual([
      'evenkeel-prod-widgets-events-dead',
      'evenkeel-prod-widgets-resync-dead',
    ]);
    for (const stage of ['prod-eu', 'prod-widgets']) {
      const answer = await post(made.source, 'redrive', { queue: `evenkeel-${stage}-widgets-events-dead` });
      expect(answer.status).toBe(400);
    }
    expect(made.letters.sent).toEqual([]);
  });

  it('R-6.10 the console shows the dead letters of a controller group when its module was removed on one machine', async () => {
    const made = await consoleWorld({ letters: [{ messageId: 'm1', body: '{}', sentAtMs: 0 }] });
    const source = { ...made.source, operated: { ...made.source.operated, authorGroups: [] } };
    expect((await get<DeadLetterView>(source, 'dead-letters')).queues[0]?.count).toBe(1);
  });

  it('R-6.10 a redrive sends the dead letters of one queue, and an Event names who did it', async () => {
    const letters = [1, 2].map((id) => ({ messageId: `m${id}`, body: '{}', sentAtMs: 0 }));
    const made = await consoleWorld({ letters });
    const queue = 'evenkeel-local-widgets-events-dead';
    expect((await post(made.source, 'redrive', { queue })).body).toMatchObject({
      done: expect.stringMatching(/^2 messages of evenkeel-local-widgets-events-dead were sent to their queue again\./),
    });
    expect(made.letters.sent).toEqual([`${queue} m1`, `${queue} m2`]);
    expect((await post(made.source, 'redrive', { queue: 'other' })).status).toBe(400);
  });

  it('R-6.10 an action is done and says so when the cluster does not take the Event', async () => {
    const { source } = await consoleWorld();
    const recordAction = async () => {
      throw new Error('refused');
    };
    const { status, body } = await post({ ...source, recordAction }, 'pause');
    expect([status, body]).toEqual([
      200,
      {
        done: 'Cluster test is paused: within seconds no more passes begin. The cluster did not take the Kubernetes Event about it.',
      },
    ]);
  });

  it.each(['requeue', 'pause', 'resume', 'redrive', 'pause-object', 'resume-object', 'bulk-start', 'bulk-stop'])(
    'R-6.10 R-5.24 the server refuses %s and changes nothing when it is read-only',
    async (action) => {
      const made = await consoleWorld({ readOnly: true, letters: [{ messageId: 'm1', body: '{}', sentAtMs: 0 }] });
      await made.reconcile('web', {});
      await made.world.store.setPaused('test', true);
      const answer = await post(made.source, action, { ...named('web'), queue: 'evenkeel-local-widgets-events-dead' });
      expect(answer).toEqual({
        status: 403,
        body: { error: 'This console is read-only: it was started with --read-only.' },
      });
      expect((await made.world.store.readCluster('test')).paused).toBe(true);
      expect(made.letters.sent).toEqual([]);
      const passes = made.world.reports.length;
      await made.world.drain();
      expect(made.world.reports).toHaveLength(passes);
    },
  );

  it.each([undefined, null, 'text', 7, [], {}, { kind: 1, namespace: {}, name: [] }])(
    'R-6.4 the server refuses an action when its body is %j',
    async (body) => {
      const { source } = await consoleWorld();
      for (const action of ['requeue', 'redrive']) expect((await post(source, action, body)).status).toBe(400);
    },
  );
});

describe('a list of 50,000 objects', () => {
  it('R-6.10 R-5.18 the parts of a list have each object once, in order, and 50 of them', async () => {
    const made = await consoleWorld();
    const { source } = manyObjects(made.source, 50_000);
    const names: string[] = [];
    const api = apiOf(source);
    for (let from = 0; from < 200; from += 50) {
      const query = new URLSearchParams({ namespace: 'n3', from: String(from) });
      const list = (await api.answer({ method: 'GET', path: 'objects', query, body: undefined })).body as ObjectPage;
      expect([list.selected, list.from, list.rows.length]).toEqual([5_000, from, 50]);
      names.push(...list.rows.map(({ name }) => name));
    }
    expect(names).toEqual(Array.from({ length: 200 }, (_, index) => `o${String(index * 10 + 3).padStart(6, '0')}`));
  });

  it('R-6.10 a part of a list is as long as the request asks, and empty after the end', async () => {
    const { source } = manyObjects((await consoleWorld()).source, 1_000);
    const first = await get<ObjectPage>(source, 'objects', { text: 'o00000', from: '3', rows: '2' });
    expect(first.rows.map(({ name }) => name)).toEqual(['o000003', 'o000004']);
    const after = await get<ObjectPage>(source, 'objects', { text: 'o00000', from: '10' });
    expect([after.rows, after.selected]).toEqual([[], 10]);
  });

  it('R-5.18 the first items hold no more than twice as many when any number is offered', () => {
    const first = new FirstItems<number>(10, (a, b) => a - b);
    let most = 0;
    for (let item = 50_000; item > 0; item -= 1) {
      first.offer(item);
      most = Math.max(most, first.held);
    }
    expect(most).toBeLessThanOrEqual(20);
    expect(first.sorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each([{ sort: 'size' }, { state: 'ready,broken' }, { from: '-1' }, { rows: '201' }, { from: '' }])(
    'R-6.4 the list refuses a query when it is %j',
    async (query) => {
      const { source } = await consoleWorld();
      const answer = await apiOf(source).answer({
        method: 'GET',
        path: 'objects',
        query: new URLSearchParams(query as Record<string, string>),
        body: undefined,
      });
      expect(answer.status).toBe(400);
    },
  );
});
