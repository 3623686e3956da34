import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { bundleScript, startScript } from './processes/run-process.ts';
import { openTestState, type TestState, temporaryDirectory } from './test-state.ts';
import { NOW } from './workload.ts';

const EVENTS = 'evenkeel-local-secret-contract-events';
const WAIT = { maxMessages: 1, waitSeconds: 20, visibilitySeconds: 60 };

describe('processes of a state file that wake each other', () => {
  let directory: string;
  let clock: ManualClock;
  const opened: TestState[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
    // Nothing advances it, so no receiver ever looks by itself.
    clock = new ManualClock(NOW);
  });
  afterEach(() => {
    for (const { state } of opened.splice(0)) state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(name: string, options: { directory?: string } = {}) {
    const test = await openTestState({ directory, clock, receiver: name, ...options });
    opened.push(test);
    return test.state;
  }

  async function receiving(name: string) {
    const state = await open(name);
    await state.processes.join(name);
    const events = await state.fifoQueue(EVENTS);
    const pending = events.receive(WAIT).then((messages) => messages.map(({ body }) => body));
    while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
    return { state, pending };
  }

  it('R-5.1 a receiver gets the message of another process when no time passes', async () => {
    const { pending } = await receiving('worker');
    const script = await bundleScript('sending-process', directory);
    const relay = startScript(script, [directory, 'relay']);
    try {
      expect(await pending).toEqual(['of relay']);
    } finally {
      await relay.kill();
    }
  });

  it('R-5.1 a receiver gets the message of a process that never joined when no time passes', async () => {
    const { pending } = await receiving('worker');
    const sender = await open('command');
    await (await sender.fifoQueue(EVENTS)).send([{ messageGroupId: 'a', body: 'requested', deduplicationId: 'a' }]);
    expect(await pending).toEqual(['requested']);
  });

  it('R-5.1 a process wakes the ones that joined after its first message when a second has passed', async () => {
    const sender = await open('relay');
    await sender.processes.join('relay');
    const events = await sender.fifoQueue(EVENTS);
    await events.send([{ messageGroupId: 'a', body: 'first', deduplicationId: 'a' }]);
    await events.receive({ ...WAIT, waitSeconds: 0 });
    await clock.advance(1_000);
    const { pending } = await receiving('worker');
    await events.send([{ messageGroupId: 'b', body: 'second', deduplicationId: 'b' }]);
    expect(await pending).toEqual(['second']);
  });

  it('R-5.24 the socket of a process can be opened by its user alone', async () => {
    const state = await open('worker');
    await state.processes.join('worker');
    expect(statSync(join(directory, 'process-worker.sock')).mode & 0o777).toBe(0o600);
    await state.processes.leave();
    expect(existsSync(join(directory, 'process-worker.sock'))).toBe(false);
  });

  it('R-5.21 the socket of a killed process is removed when another process gives back its leases', async () => {
    const script = await bundleScript('sending-process', directory);
    const relay = startScript(script, [directory, 'relay']);
    await relay.line(/^sent$/);
    await relay.kill();
    const socket = join(directory, 'process-relay.sock');
    expect(existsSync(socket)).toBe(true);
    const state = await open('worker');
    const events = await state.fifoQueue(EVENTS);
    await events.send([{ messageGroupId: 'b', body: 'to nobody', deduplicationId: 'b' }]);
    await state.processes.join('worker');
    expect(existsSync(socket)).toBe(false);
    expect(await state.processes.others()).toEqual([]);
  });

  it('R-5.1 a receiver looks at the file when the path of its directory is too long for a socket', async () => {
    const long = join(directory, 'a'.repeat(120));
    mkdirSync(long);
    const state = await open('worker', { directory: long });
    await state.processes.join('worker');
    expect(existsSync(join(long, 'process-worker.sock'))).toBe(false);
    const events = await state.fifoQueue(EVENTS);
    const pending = events.receive(WAIT);
    const sender = await open('relay', { directory: long });
    await (await sender.fifoQueue(EVENTS)).send([{ messageGroupId: 'a', body: 'found', deduplicationId: 'a' }]);
    await clock.advance(100);
    expect((await pending).map(({ body }) => body)).toEqual(['found']);
  });
});
