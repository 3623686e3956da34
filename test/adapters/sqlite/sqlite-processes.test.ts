import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Target } from '../../../lib/core/target.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { takeLease } from '../../support/take-lease.ts';
import { bundleScript, startScript } from './processes/run-process.ts';
import { changeFile, openTestState, type TestState, temporaryDirectory } from './test-state.ts';
import { NOW } from './workload.ts';

const KIND = 'secretcontracts.evenkeel.dev';
const EVENTS = 'evenkeel-local-secret-contract-events';
const WAKES = 'evenkeel-local-wakes';
const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };
const targetOf = (uid: string): Target => ({ cluster: 'local', kind: KIND, uid, namespace: 'default', name: uid });

describe('processes of a state file', () => {
  let directory: string;
  const opened: TestState[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    for (const { state } of opened.splice(0)) state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(receiver: string) {
    const test = await openTestState({ directory, receiver, clock: new ManualClock(NOW) });
    opened.push(test);
    return test.state;
  }

  type State = Awaited<ReturnType<typeof open>>;

  async function acquire({ store }: State, owner: string, uid: string) {
    const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 34_000 };
    return await takeLease(store, { target: targetOf(uid), owner, attempt: 'a', ...times });
  }

  /** Has a process hold one of everything. */
  async function occupy(state: State, owner: string) {
    const events = await state.fifoQueue(EVENTS);
    const wakes = await state.delayQueue(WAKES);
    const body = `of ${owner}`;
    await events.send([{ messageGroupId: owner, body, deduplicationId: owner }]);
    await wakes.sendDelayed({ body, delaySeconds: 0 });
    const received = await events.receive(NO_WAIT);
    expect(received.map((message) => message.body)).toEqual([body]);
    expect((await wakes.receive(NO_WAIT)).map((message) => message.body)).toEqual([body]);
    const held = await acquire(state, owner, `uid-${owner}`);
    await state.store.holdRelay(`cluster-${owner}`, `${owner}/hold`, NOW, NOW + 30_000);
    return { events, wakes, received, epoch: held?.epoch ?? 0 };
  }

  /** What of it others could have now. */
  async function free(state: State, owner: string) {
    const events = await (await state.fifoQueue(EVENTS)).receive(NO_WAIT);
    const wakes = await (await state.delayQueue(WAKES)).receive(NO_WAIT);
    return {
      events: events.map(({ body }) => body),
      wakes: wakes.map(({ body }) => body),
      lease: (await acquire(state, 'next', `uid-${owner}`))?.epoch,
      relay: await state.store.holdRelay(`cluster-${owner}`, 'next/hold', NOW, NOW + 30_000),
    };
  }

  const HELD = { events: [], wakes: [], lease: undefined, relay: undefined };

  it('R-5.21 a process that starts gives back at once everything that a killed process held, and nothing of a live one', async () => {
    const script = await bundleScript('member-process', directory);
    const living = await open('living');
    await living.processes.join('living');
    const { epoch } = await occupy(living, 'living');
    const killed = startScript(script, [directory, 'killed']);
    await killed.line(/^holds/);
    const next = await open('next');
    await next.processes.join('next');
    expect(await free(next, 'killed')).toEqual(HELD);

    // Stopped, it still holds all of it.
    process.kill(killed.pid, 'SIGSTOP');
    expect(await next.processes.giveBackOfGone()).toEqual([]);
    expect(await free(next, 'killed')).toEqual(HELD);
    await killed.kill();
    expect(await next.processes.giveBackOfGone()).toEqual(['killed']);
    expect(await free(next, 'killed')).toEqual({
      events: ['of killed'],
      wakes: ['of killed'],
      // Two above the last commit: the pass that was killed counts.
      lease: NOW + 2,
      relay: NOW + 2,
    });
    expect(await next.store.readTarget(targetOf('uid-killed'))).toMatchObject({ committedEpoch: NOW });
    expect(await free(next, 'living')).toEqual(HELD);
    expect(await living.store.readTarget(targetOf('uid-living'))).toMatchObject({ lease: { owner: 'living' }, epoch });
    expect(await next.processes.others()).toEqual(['living']);
    expect(
      readdirSync(directory)
        .filter((name) => name.endsWith('.lock'))
        .sort(),
    ).toEqual(['process-living.lock', 'process-next.lock']);
  });

  it('R-5.21 a process that ends normally gives everything back, and no lock stays', async () => {
    const first = await open('first');
    await first.processes.join('first');
    await occupy(first, 'first');
    await first.processes.leave();
    expect(existsSync(`${directory}/process-first.lock`)).toBe(false);
    const next = await open('next');
    await next.processes.join('next');
    expect(await free(next, 'first')).toMatchObject({ events: ['of first'], wakes: ['of first'], lease: NOW + 2 });
  });

  it('R-5.21 R-1.10 a late write of a process is refused when its leases and messages were given back', async () => {
    const first = await open('first');
    await first.processes.join('first');
    const { epoch, received, events } = await occupy(first, 'first');
    await first.processes.leave();
    const hold = { target: targetOf('uid-first'), owner: 'first', epoch };
    expect(await first.store.renewAttempt(hold, 'b')).toBeUndefined();
    expect(await first.store.saveValues(hold, { one: 1 })).toBe(false);
    expect(await first.store.recordRestoreCounter('cluster-first', 1, 1)).toBe(false);
    expect(await events.delete(received.map(({ receiptHandle }) => receiptHandle))).toHaveLength(1);
  });

  it.each(['not JSON', '[]', '{"lease":"text"}'])('R-5.19 an item with %s stops no other pass', async (body) => {
    const first = await open('first');
    await first.processes.join('first');
    await occupy(first, 'first');
    changeFile(first.path, `INSERT INTO item (pk, sk, body) VALUES ('T#local#${KIND}#0', 'broken', '${body}')`);
    await first.processes.leave();
    const next = await open('next');
    expect(await free(next, 'first')).toMatchObject({ lease: NOW + 2 });
  });

  it('R-5.21 a process that starts removes the locks of unknown processes, unless they live', async () => {
    for (const name of ['old', 'older.one']) writeFileSync(`${directory}/process-${name}.lock`, '');
    const first = await open('first');
    await first.processes.join('first');
    changeFile(first.path, 'DELETE FROM process');
    const next = await open('next');
    await next.processes.join('next');
    expect(
      readdirSync(directory)
        .filter((name) => name.endsWith('.lock'))
        .sort(),
    ).toEqual(['process-first.lock', 'process-next.lock']);
  });

  it('R-5.21 only the received message of a message group is given back', async () => {
    const first = await open('first');
    await first.processes.join('first');
    const events = await first.fifoQueue(EVENTS);
    const send = (body: string) => events.send([{ messageGroupId: 'g', body, deduplicationId: body }]);
    await send('one');
    await events.receive(NO_WAIT);
    await send('two');
    await first.processes.leave();
    const next = await open('next');
    const received = await (await next.fifoQueue(EVENTS)).receive(NO_WAIT);
    expect(received.map(({ body, receiveCount }) => [body, receiveCount])).toEqual([
      ['one', 2],
      ['two', 1],
    ]);
  });
});
