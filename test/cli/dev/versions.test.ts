import { describe, expect, it } from 'vitest';
import type { VersionEvents } from '../../../cli/dev/version-process.ts';
import { Versions } from '../../../cli/dev/versions.ts';

/** A process that ends when the test says so. */
class FakeProcess {
  runs = false;
  isStopping = false;
  hasEnded = false;
  readonly #ended = Promise.withResolvers<void>();
  readonly #events: VersionEvents;

  constructor(events: VersionEvents) {
    this.#events = events;
  }

  run(): void {
    this.runs = !this.hasEnded;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.#ended.promise;
  }

  async ready(): Promise<void> {
    this.#events.onReady(['Widget']);
    await idle();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.runs = false;
    this.#events.onEnd();
    this.#ended.resolve();
    await idle();
  }
}

/** Waits until everything has run that waits only for promises. */
async function idle(): Promise<void> {
  await new Promise((done) => setImmediate(done));
}

class Started {
  readonly processes: FakeProcess[] = [];
  readonly lines: string[] = [];
  readonly versions = new Versions(
    (events) => {
      const made = new FakeProcess(events);
      this.processes.push(made);
      return made;
    },
    'controllers.ts',
    {
      out: () => {},
      err: (line) => this.lines.push(line),
      progress: () => ({ update: () => {}, end: () => {} }),
    },
    () => {},
  );

  async save(): Promise<void> {
    void this.versions.load();
    await idle();
  }

  at(index: number): FakeProcess {
    const found = this.processes[index];
    if (found === undefined) throw new Error(`no version ${index} was started`);
    return found;
  }

  /** Processes that have not ended, and that nobody asked to end. */
  goingOn(): number[] {
    return [...this.processes.keys()].filter((index) => !this.at(index).isStopping && !this.at(index).hasEnded);
  }

  running(): number[] {
    return [...this.processes.keys()].filter((index) => this.at(index).runs);
  }
}

/** A running first version. */
async function started(): Promise<Started> {
  const made = new Started();
  await made.save();
  await made.at(0).ready();
  expect(made.running()).toEqual([0]);
  return made;
}

describe('the versions of a module', () => {
  it('R-6.9 Versions leaves one next version when two saves arrive while the one before them ends', async () => {
    const made = await started();
    await made.save();
    await made.save();
    await made.save();
    await made.at(1).end();
    await idle();
    expect(made.goingOn()).toEqual([0, made.processes.length - 1]);
    await made.at(made.processes.length - 1).ready();
    await made.at(0).end();
    expect(made.running()).toEqual([made.processes.length - 1]);
  });

  it('R-6.9 Versions starts the module as last saved when it is saved while a version before ends', async () => {
    const made = await started();
    await made.save();
    await made.save();
    await made.save();
    await made.save();
    await made.at(1).end();
    // A save that a later one replaced gets no process of its own.
    expect(made.processes).toHaveLength(3);
  });

  it('R-6.9 Versions runs one version at a time when another one becomes ready while the first still ends', async () => {
    const made = await started();
    await made.save();
    await made.at(1).ready();
    await made.save();
    // The third process may start before or after the first one ends.
    await made.processes[2]?.ready();
    // A process that does not run yet ends at once.
    if (made.at(1).isStopping) await made.at(1).end();
    expect(made.running()).toEqual([0]);
    await made.at(0).end();
    await made.at(2).ready();
    expect(made.running()).toEqual([1]);
    await made.at(1).end();
    expect(made.running()).toEqual([2]);
  });

  it('R-6.9 Versions runs nothing and ends every process when it is stopped while a version before ends', async () => {
    const made = await started();
    await made.save();
    await made.at(1).ready();
    await made.save();
    const stopped = made.versions.stop();
    let isStopped = false;
    void stopped.then(() => {
      isStopped = true;
    });
    await idle();
    expect(made.goingOn()).toEqual([]);
    await made.at(1).end();
    for (const one of made.processes.slice(2)) await one.end();
    expect(isStopped).toBe(false);
    await made.at(0).end();
    await stopped;
    expect(made.running()).toEqual([]);
  });

  it('R-6.9 Versions does not say that a version runs when that one ended while it waited', async () => {
    const made = await started();
    await made.save();
    await made.at(1).ready();
    made.lines.length = 0;
    await made.at(1).end();
    await made.at(0).end();
    expect(made.lines.filter((line) => line.includes('runs: '))).toEqual([]);
    await made.save();
    await made.at(2).ready();
    expect(made.running()).toEqual([2]);
  });
});
