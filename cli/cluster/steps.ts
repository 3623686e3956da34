import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { UsageError } from '../usage-error.ts';

/**
 * One change in a cluster or in AWS. A step that was done is not planned again, so a command that stopped halfway can
 * run again.
 */
export interface Step {
  /** The change, as an instruction: `create secret evenkeel/prod/clusters/east/relay`. */
  readonly text: string;
  /** @returns a note for the person about the result, if any. */
  run(): Promise<string | undefined>;
}

/** Asks whether a person agrees; undefined when nobody can be asked. */
export type Confirm = ((question: string) => Promise<boolean>) | undefined;

export interface StepOptions {
  /** Run the steps without a question. */
  readonly yes: boolean;
  /** Only show the steps. */
  readonly dryRun: boolean;
  readonly confirm: Confirm;
}

/**
 * Shows the steps, asks, and runs them in order. It stops at the first one that fails; the steps before it stay done.
 * @returns whether all steps are done.
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
