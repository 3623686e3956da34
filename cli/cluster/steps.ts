import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { UsageError } from '../usage-error.ts';

/** One change in a cluster or in AWS. A step that was carried out is not planned again, so a command that stopped halfway can run again. */
export interface Step {
  /** What it does, as an instruction: `create secret evenkeel/prod/clusters/east/relay`. */
  readonly text: string;
  /** @returns what a person should know about the result. */
  run(): Promise<string | undefined>;
}

/** Whether a person agrees; undefined when nobody can be asked. */
export type Confirm = ((question: string) => Promise<boolean>) | undefined;

export interface StepOptions {
  /** Carry the steps out without a question. */
  readonly yes: boolean;
  /** Only show them. */
  readonly dryRun: boolean;
  readonly confirm: Confirm;
}

/**
 * Shows the steps, asks, and carries them out in order. The first one that fails ends it: the steps before it stay done.
 * @returns whether all of them are done.
 * @throws UsageError when nobody can be asked.
 */
export async function carryOut(steps: readonly Step[], options: StepOptions, terminal: Terminal): Promise<boolean> {
  for (const { text } of steps) terminal.out(`to do: ${text}`);
  if (steps.length === 0) return true;
  if (options.dryRun) {
    terminal.err('nothing was changed; run it without --dry-run to carry this out');
    return false;
  }
  if (!options.yes && !(await agreed(options.confirm))) {
    terminal.err('nothing was changed');
    return false;
  }
  for (const { text, run } of steps) {
    const more = await run();
    terminal.out(`done: ${text}${more === undefined ? '' : ` (${more})`}`);
  }
  return true;
}

async function agreed(confirm: Confirm): Promise<boolean> {
  if (confirm === undefined) {
    throw new UsageError('this changes a cluster and AWS, and there is no terminal to ask at. Agree with --yes.');
  }
  return await confirm('Carry this out? (y/N) ');
}
