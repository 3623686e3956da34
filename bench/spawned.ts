import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * The published form, as `npm run build` makes it: stripping the types of sources at each start costs time and memory.
 */
export const ENTRY = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const CLOCK_TICKS_PER_SECOND = 100;
const MB = 1_048_576;

/** A process prints this when `REPORT` asks it, with the bytes that are left after two forced garbage collections. */
const KEPT = 'kept ';
const REPORT = 'SIGUSR2';
const REPORTING = `process.on('${REPORT}', () => {
  gc();
  setImmediate(() => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    console.log('${KEPT}' + (heapUsed + external));
  });
});`;

/** A process, such as `evenkeel start`. Its use of CPU and memory is read from /proc. */
export class Spawned {
  /** The value of `performance.now()` before the process was started. */
  readonly startedMs: number;
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  private onKept: (bytes: number) => void = () => {};

  private constructor(child: ChildProcess, startedMs: number) {
    this.child = child;
    this.startedMs = startedMs;
  }

  /**
   * Starts `evenkeel start`. Resolves when the process has printed its line that begins with `ready`.
   * @param nodeOptions for example limits of its heap.
   */
  static start(args: readonly string[], nodeOptions: readonly string[] = []): Promise<Spawned> {
    // As in bin/evenkeel.js.
    const cache = ['--import', new URL('../bin/compile-cache.js', import.meta.url).href];
    const reporting = [...cache, '--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(REPORTING)}`];
    return Spawned.run(process.execPath, [...reporting, ...nodeOptions, ENTRY, 'start', ...args]);
  }

  /** The same for any command. */
  static async run(command: string, args: readonly string[]): Promise<Spawned> {
    const startedMs = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const spawned = new Spawned(child, startedMs);
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (spawned.lines.length < 200) spawned.lines.push(line);
          if (line.startsWith('ready')) resolve();
          if (line.startsWith(KEPT)) spawned.onKept(Number(line.slice(KEPT.length)));
        });
      }
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${spawned.lines.join('\n')}`)),
      );
    });
    return spawned;
  }

  /** User and system CPU seconds so far. */
  cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  }

  /** Resident memory in MB: the present and the highest value. */
  memoryMb(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
    return { now: kb('VmRSS') / 1_024, peak: kb('VmHWM') / 1_024 };
  }

  /** The memory in MB that it keeps after forced garbage collections: its heap, and buffers outside of it. */
  async keptMb(): Promise<number> {
    const bytes = new Promise<number>((resolve, reject) => {
      this.onKept = resolve;
      this.child.once('exit', (code) => reject(new Error(`it ended with ${code}:\n${this.lines.join('\n')}`)));
    });
    this.child.kill(REPORT);
    return (await bytes) / MB;
  }

  /** Resolves when the process has used almost no CPU for two seconds, so the work of its start is done. */
  async quiet(): Promise<void> {
    let before = this.cpuSeconds();
    for (let quietSeconds = 0; quietSeconds < 2; ) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const now = this.cpuSeconds();
      quietSeconds = now - before < 0.05 ? quietSeconds + 1 : 0;
      before = now;
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill(signal);
    await ended;
  }
}
