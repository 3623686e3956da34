import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { bundleScript, runScript } from './processes/run-process.ts';
import { openTestState, temporaryDirectory } from './test-state.ts';
import { dump, NOW, queuesOf, STEPS } from './workload.ts';

/** A real process is killed at every n-th statement; EVENKEEL_KILL_EVERY=1 kills one at each. */
const KILL_EVERY = Number(process.env.EVENKEEL_KILL_EVERY ?? 20);

describe('a state file whose process is killed', () => {
  let folder: string;
  /** The file's content after opening, and after each step. */
  const expected: string[] = [];
  /** For each statement, the last step that was acknowledged before it; -1 for none. */
  const acknowledgedBefore: number[] = [];

  /** Copies the files before each statement: the state that a process leaves that is killed there. */
  beforeAll(async () => {
    folder = temporaryDirectory();
    const directory = join(folder, 'original');
    mkdirSync(directory);
    const { state } = await openTestState({
      directory,
      clock: new ManualClock(NOW),
      onStatement() {
        acknowledgedBefore.push(Math.max(-1, expected.length - 2));
        cpSync(directory, imageOf(acknowledgedBefore.length), { recursive: true });
      },
    });
    const queues = queuesOf(state);
    expected.push(dump(state.path));
    for (const step of STEPS) {
      await step.run(state, queues);
      expected.push(dump(state.path));
    }
    state.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const imageOf = (statement: number) => join(folder, `image-${statement}`);

  it('R-5.5 every step of the workload changes the file, so that a lost one shows', () => {
    expect(new Set(expected).size).toBe(expected.length);
    expect(acknowledgedBefore.length).toBeGreaterThan(150);
  });

  it('R-5.5 a state file holds what was acknowledged, and the step under way wholly or not at all, when its process ends before any statement', {
    timeout: 300_000,
  }, async () => {
    for (const [index, acknowledged] of acknowledgedBefore.entries()) {
      await expectWhole(imageOf(index + 1), acknowledged, `image ${index + 1}`);
    }
  });

  it(`R-5.5 a state file holds what was acknowledged when its process is killed at any ${KILL_EVERY}th statement`, {
    timeout: 900_000,
  }, async () => {
    const script = await bundleScript('workload-process', folder);
    for (let killAt = 1 + (KILL_EVERY >> 1); killAt <= acknowledgedBefore.length; killAt += KILL_EVERY) {
      const directory = join(folder, `killed-${killAt}`);
      const { lines, signal, errors } = await runScript(script, [directory, '0', String(killAt)]);
      expect({ killAt, signal, errors }).toEqual({ killAt, signal: 'SIGKILL', errors: '' });
      await expectWhole(directory, Number(lines.at(-1) ?? -1), `killed ${killAt}`);
    }
  });

  /** The file is as before or after the running step, and the rest of the workload ends as without a kill. */
  async function expectWhole(directory: string, acknowledged: number, what: string): Promise<void> {
    const isMade = existsSync(join(directory, 'evenkeel.db'));
    const { state } = await openTestState({ directory, clock: new ManualClock(NOW) });
    const found = dump(state.path);
    const under = acknowledged + 1;
    const at = found === expected[under] ? under : under + 1;
    expect({ what, found }).toEqual({ what, found: expected[at] });
    // Only a process that was killed while it opened the file may leave no file.
    expect({ what, hasFile: isMade || under === 0 }).toEqual({ what, hasFile: true });
    const queues = queuesOf(state);
    for (const step of STEPS.slice(at)) await step.run(state, queues);
    state.close();
    expect({ what, files: readdirSync(directory) }).toEqual({ what, files: ['evenkeel.db'] });
    expect({ what, end: dump(state.path) }).toEqual({ what, end: expected.at(-1) });
    rmSync(directory, { recursive: true });
  }
});
