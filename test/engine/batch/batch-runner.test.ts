import { describe, expect, it } from 'vitest';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { QueueMessage, SkinnyEvent } from '../../../lib/core/event.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { BatchRunner } from '../../../lib/engine/batch/batch-runner.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';

const EVENT: SkinnyEvent = {
  v: 1,
  cluster: 'test',
  incarnation: 1,
  kind: 'widgets.test.evenkeel.dev',
  namespace: 'default',
  name: 'one',
  uid: 'u-1',
  resourceVersion: '1',
  cause: 'updated',
  at: 0,
};

function setUp(handle: (event: QueueMessage) => Promise<unknown>, callerDeletes = false) {
  const clock = new ManualClock();
  const queue = new MemoryFifoQueue({ clock, maxReceiveCount: 5 });
  const metrics = new RecordedMetrics();
  const logger = new SilentLogger();
  const batch = new BatchRunner({
    group: 'widgets',
    handle,
    refusal: ({ kind }) => (kind === EVENT.kind ? undefined : `no installed controller reconciles ${kind}`),
    queue,
    callerDeletes,
    failures: new MemoryStateStore({ clock }),
    timings: DEFAULT_LEASE_TIMINGS,
    clock,
    logger,
    metrics,
  });
  let sent = 0;
  const send = async (messageGroupId: string, body: string | object) => {
    sent += 1;
    await queue.send([
      { body: typeof body === 'string' ? body : JSON.stringify(body), messageGroupId, deduplicationId: `d-${sent}` },
    ]);
  };
  const receive = () => queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
  return { clock, queue, metrics, logger, batch, send, receive };
}

const named = (name: string) => ({ ...EVENT, name });

describe('BatchRunner', () => {
  it('R-5.3 message groups run in parallel and in order, a slow one delays no other, and handled messages are deleted at once', async () => {
    const done: string[] = [];
    let release: () => void = () => undefined;
    const { batch, queue, send, receive } = setUp(async ({ name }) => {
      if (name === 'slow') await new Promise<void>((resolve) => (release = resolve));
      done.push(name);
    });
    await send('slow', named('slow'));
    await send('slow', named('after-slow'));
    await send('fast', named('first'));
    await send('fast', named('second'));
    const deleted: string[] = [];
    const original = queue.delete.bind(queue);
    queue.delete = async (handles) => {
      deleted.push(...done.slice(deleted.length));
      return await original(handles);
    };
    const running = batch.run(await receive());
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['first', 'second']);
    expect(deleted).toEqual(['first', 'second']);
    release();
    expect(await running).toEqual({ failedMessageIds: [] });
    expect(done).toEqual(['first', 'second', 'slow', 'after-slow']);
  });

  it('R-5.11 R-5.3 batch leaves only the messages of the last message group to its caller when the caller deletes', async () => {
    const release = Promise.withResolvers<void>();
    const { batch, queue, send, receive } = setUp(async ({ name }) => {
      if (name === 'slow') await release.promise;
    }, true);
    for (const group of ['slow', 'fast', 'faster']) await send(group, named(group));
    const calls: (readonly string[])[] = [];
    const original = queue.delete.bind(queue);
    queue.delete = async (handles) => {
      calls.push(handles);
      return await original(handles);
    };
    const messages = await receive();
    const running = batch.run(messages);
    await new Promise((resolve) => setImmediate(resolve));
    const handles = messages.map(({ receiptHandle }) => receiptHandle);
    expect(calls.flat()).toEqual(handles.slice(1));
    release.resolve();
    expect(await running).toEqual({ failedMessageIds: [] });
    expect(calls.flat()).toEqual(handles.slice(1));
  });

  it('R-5.11 batch sends no request for a lone message when the caller deletes', async () => {
    const { batch, queue, send, receive } = setUp(async () => {}, true);
    await send('one', named('one'));
    let deletions = 0;
    queue.delete = async () => {
      deletions += 1;
      return [];
    };
    expect(await batch.run(await receive())).toEqual({ failedMessageIds: [] });
    expect(deletions).toBe(0);
  });

  it('R-5.3 a failed message makes the later ones of its message group fail, and no others', async () => {
    const handled: string[] = [];
    const { batch, send, receive, clock } = setUp(async ({ name }) => {
      handled.push(name);
      if (name === 'a2') throw new InfrastructureError('the table did not answer');
    });
    for (const [group, name] of [
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
      ['b', 'b1'],
    ] as const)
      await send(group, named(name));
    const messages = await receive();
    const { failedMessageIds } = await batch.run(messages);
    expect(failedMessageIds).toEqual(
      messages.filter(({ body }) => /"a[23]"/.test(body)).map(({ messageId }) => messageId),
    );
    expect(handled).not.toContain('a3');
    await clock.advance(60_000);
    expect((await receive()).map(({ body }) => (JSON.parse(body) as SkinnyEvent).name)).toEqual(['a2', 'a3']);
  });

  it.each([
    ['NotJson', '{"v":1,'],
    ['UnknownVersion', JSON.stringify({ ...EVENT, v: 99 })],
    ['Malformed', JSON.stringify({ ...EVENT, uid: 7 })],
    ['Malformed', JSON.stringify({ ...EVENT, uid: '' })],
    ['Malformed', JSON.stringify({ ...EVENT, cause: 'guessed' })],
    ['Malformed', '[]'],
    ['Malformed', 'null'],
    ['Oversized', JSON.stringify({ ...EVENT, junk: 'x'.repeat(5_000) })],
    ['Unknown', JSON.stringify({ ...EVENT, kind: 'gizmos.test.evenkeel.dev' })],
  ])(
    'R-5.4 a message that can never be handled (%s) becomes a dead letter with its reason, and its message group continues',
    async (reason, body) => {
      const handled: string[] = [];
      const { batch, queue, metrics, send, receive } = setUp(async ({ name }) => handled.push(name));
      await send('g', body);
      await send('g', named('next'));
      expect(await batch.run(await receive())).toEqual({ failedMessageIds: [] });
      expect(handled).toEqual(['next']);
      expect(queue.deadLetters()).toMatchObject([{ body, messageGroupId: 'g' }]);
      expect(queue.deadLetters()[0]?.reason).toMatch(new RegExp(`^${reason}: `));
      expect(metrics.total('DeadLetter', { Reason: reason })).toBe(1);
    },
  );

  it('R-5.4 a message stays on the queue when the dead letter cannot be stored', async () => {
    const { batch, queue, send, receive } = setUp(async () => undefined);
    queue.sendDead = async () => {
      throw new InfrastructureError('the dead-letter queue did not answer');
    };
    await send('g', 'not json');
    const messages = await receive();
    expect(await batch.run(messages)).toEqual({ failedMessageIds: messages.map(({ messageId }) => messageId) });
  });

  it('R-5.5 a message does not start when it may be delivered again during the pass, or when the function would end first', async () => {
    const handled: string[] = [];
    const { batch, send, receive, clock } = setUp(async ({ name }) => handled.push(name));
    await send('g', named('one'));
    const messages = await receive();
    const tooShort = await batch.run(messages, clock.monotonic() + DEFAULT_LEASE_TIMINGS.passLimitMs - 1);
    clock.jump(
      DEFAULT_LEASE_TIMINGS.visibilityMs - DEFAULT_LEASE_TIMINGS.leaseMs - DEFAULT_LEASE_TIMINGS.clockSkewMs + 1,
    );
    const tooOld = await batch.run(messages);
    expect([tooShort, tooOld].map(({ failedMessageIds }) => failedMessageIds.length)).toEqual([1, 1]);
    expect(handled).toEqual([]);
  });

  it('R-5.3 messages that could not be deleted are reported, and none fails because of it', async () => {
    const { batch, queue, logger, send, receive } = setUp(async () => undefined);
    queue.delete = async () => {
      throw new InfrastructureError('the queue did not answer');
    };
    await send('g', named('one'));
    expect(await batch.run(await receive())).toEqual({ failedMessageIds: [] });
    expect(logger.lines.map(({ message }) => message)).toEqual([expect.stringContaining('were not deleted')]);
  });
});

describe('decodeEvent', () => {
  it('R-5.1 decodeEvent returns what a sender writes, unchanged', () => {
    const changed = { kind: 'secrets', namespace: 'default', name: 's', absentAt: '7' };
    const target = { cluster: 'test', kind: EVENT.kind, namespace: 'default', name: 'one', uid: 'u-1' };
    const event = { v: 1, ...target, incarnation: 1, at: 0, cause: 'dependency', changed };
    expect(decodeEvent(JSON.stringify(event))).toEqual({ ok: true, event });
  });

  it('R-1.24 decodeEvent never quotes the body when it refuses one', () => {
    for (const body of [
      'hunter2',
      JSON.stringify({ v: 1, uid: { secret: 'hunter2' } }),
      JSON.stringify({ v: 1, cause: 'hunter2' }),
    ]) {
      expect(JSON.stringify(decodeEvent(body))).not.toContain('hunter2');
    }
  });
});

describe('decodeEvent of what no sender writes', () => {
  it.each([
    ['a version that is no text', { v: { toString: 1 } }, 'UnknownVersion'],
    ['a version that quotes', { v: 'hunter2' }, 'UnknownVersion'],
    ['a deadline that no table holds', { cause: 'due', dueAt: 1e308, epoch: 1 }, 'Malformed'],
    ['an epoch that no table holds', { cause: 'due', dueAt: 1, epoch: 1e308 }, 'Malformed'],
    ['a deadline before all time', { cause: 'due', dueAt: -1e300, epoch: 1 }, 'Malformed'],
    ['a tick that no table holds', { cause: 'resync', tick: 1e300 }, 'Malformed'],
    ['a time that no metric holds', { at: 1e300 }, 'Malformed'],
    ['a name that leads elsewhere', { name: '..' }, 'Malformed'],
    ['a name of two segments', { name: 'one/status' }, 'Malformed'],
    ['an escaped name', { name: 'one%2fstatus' }, 'Malformed'],
    ['half a character in a name', { name: 'one\ud800' }, 'Malformed'],
    ['a control character in a name', { name: 'one\n' }, 'Malformed'],
    ['a namespace that leads elsewhere', { namespace: '..' }, 'Malformed'],
    [
      'a changed object that leads elsewhere',
      { cause: 'dependency', changed: { kind: 'secrets', namespace: 'a', name: '../b' } },
      'Malformed',
    ],
  ])('R-5.4 decodeEvent refuses %s at once, and quotes nothing of it', (_what, fields, reason) => {
    const decoded = decodeEvent(JSON.stringify({ ...EVENT, ...fields }));
    expect(decoded).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(decoded)).not.toMatch(/hunter2|status|ud800/);
  });
});

describe('BatchRunner while its worker drains', () => {
  it('a draining worker finishes and acknowledges the running message, and does not start the next one of its message group', async () => {
    const draining = new AbortController();
    const handled: string[] = [];
    const { batch, queue, send, receive } = setUp(async ({ name }) => {
      handled.push(name);
      draining.abort();
    });
    await send('g', named('one'));
    await send('g', named('two'));
    const messages = await receive();
    const { failedMessageIds } = await batch.run(messages, undefined, draining.signal);
    expect(handled).toEqual(['one']);
    expect(failedMessageIds).toEqual([messages[1]?.messageId]);
    await queue.changeVisibility([messages[1]?.receiptHandle ?? ''], 0);
    expect((await receive()).map(({ body }) => JSON.parse(body).name)).toEqual(['two']);
  });
});
