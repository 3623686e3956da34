import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { bundleScript, runScript } from './processes/run-process.ts';
import { openTestState, temporaryDirectory } from './test-state.ts';
import { NOW } from './workload.ts';

const EACH = 60;

describe('a state file of two processes', () => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = temporaryDirectory();
    script = await bundleScript('rival-process', folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('R-1.10 two processes that count, send and receive at once lose and double nothing, and keep the order of message groups', async () => {
    const directory = `${folder}/state`;
    const names = ['a', 'b'];
    const ended = await Promise.all(names.map((name) => runScript(script, [directory, name, String(EACH), ...names])));
    for (const { errors, code } of ended) expect({ errors, code }).toEqual({ errors: '', code: 0 });
    const handled = ended
      .flatMap(({ lines }) => lines)
      .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map((line) => line.split(' ')[1] ?? '');
    const sent = names.flatMap((name) => Array.from({ length: EACH }, (_, count) => `${name}:${count}`));
    expect(handled.toSorted()).toEqual(sent.toSorted());
    for (const name of names) {
      for (let group = 0; group < 5; group += 1) {
        const counts = handled.filter((body) => body.startsWith(`${name}:`)).map((body) => Number(body.split(':')[1]));
        const ofGroup = counts.filter((count) => count % 5 === group);
        expect(ofGroup).toEqual(ofGroup.toSorted((a, b) => a - b));
      }
    }
    const { state } = await openTestState({ directory });
    expect(await state.store.countFailure('shared', NOW)).toBe(names.length * EACH + 1);
    state.close();
  });

  it('R-5.3 a receive waits for a message that another process sends', async () => {
    const directory = `${folder}/waiting`;
    const clock = new SystemClock();
    const receiver = await openTestState({ directory, clock });
    const queue = await receiver.state.fifoQueue('evenkeel-local-events');
    const pending = queue.receive({ maxMessages: 1, waitSeconds: 20, visibilitySeconds: 60 });
    const sender = await openTestState({ directory, clock });
    const sending = await sender.state.fifoQueue('evenkeel-local-events');
    await sending.send([{ body: 'from another one', messageGroupId: 'g', deduplicationId: 'd' }]);
    expect((await pending).map(({ body }) => body)).toEqual(['from another one']);
    receiver.state.close();
    sender.state.close();
  });
});
