import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What is published, as `npm run build` makes it: sources that are stripped at each start cost time and memory of their own. */
export const ENTRY = fileURLToPath(new URL('../dist/functions/cli/main.js', import.meta.url));
const CLOCK_TICKS_PER_SECOND = 100;

/** One `evenkeel start` process, with what it used so far read from /proc. */
export class Spawned {
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Resolves once the process printed its line that begins with `ready`. */
  static async start(args: readonly string[]): Promise<Spawned> {
    const child = spawn(process.execPath, [ENTRY, 'start', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const spawned = new Spawned(child);
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (spawned.lines.length < 200) spawned.lines.push(line);
          if (line.startsWith('ready')) resolve();
        });
      }
      child.once('exit', (code) =>
        reject(new Error(`evenkeel start ${args.join(' ')} ended with ${code}:\n${spawned.lines.join('\n')}`)),
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

  /** Resident memory in MB: now, and at its highest. */
  memoryMb(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
    return { now: kb('VmRSS') / 1_024, peak: kb('VmHWM') / 1_024 };
  }

  /** Resolves once it has used next to no CPU for two seconds: what it had to do at its start is done. */
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
