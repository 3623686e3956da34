import { EvenkeelError } from '../lib/core/errors.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { DeadLetters } from '../lib/ports/dead-letters.ts';
import type { Invocation, RunCommand } from './command.ts';
import { deployedGroups } from './deployed-stage.ts';
import { stageDeadLetters } from './inspection/stage-dead-letters.ts';
import { letterLine } from './letter-line.ts';
import { UsageError } from './usage-error.ts';
import { connectCloud } from './wiring-operator.ts';

/** `evenkeel redrive --stage STAGE [--dry-run]` */
export const redrive: RunCommand = async (invocation, terminal) => {
  stageOf(invocation);
  using cloud = connectCloud();
  const own = await deployedGroups(stageOf(invocation), cloud.parameters);
  return await redriveStage(cloud.deadLetters, invocation, terminal, own);
};

/**
 * @param deployed the groups that the stage was deployed with, in addition to those of this release.
 * @returns 1 when messages could not be sent, for scripts.
 */
export async function redriveStage(
  letters: DeadLetters,
  invocation: Invocation,
  terminal: Terminal,
  deployed: readonly string[] = [],
): Promise<number> {
  const stage = stageOf(invocation);
  const wanted = invocation.text('queue');
  const queues = await stageDeadLetters({ stage, isCloud: true, deadLetters: letters, authorGroups: deployed });
  if (queues.length === 0) {
    throw new EvenkeelError(
      'NOT_DEPLOYED',
      `stage ${stage} has no dead-letter queues with these AWS settings. Check the stage, AWS_REGION and AWS_PROFILE.`,
    );
  }
  const chosen = queues.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) {
    throw new UsageError(
      `stage ${stage} has no queue ${wanted}. It has: ${queues.map(({ name }) => name).join(', ')}.`,
    );
  }
  let sent = 0;
  for (const queue of chosen) {
    if (invocation.has('dry-run')) {
      const shown = await letters.peek(queue);
      for (const letter of shown) terminal.out(`${queue.name}  ${letterLine(letter)}`);
      const more = queue.count - shown.length;
      if (more > 0) terminal.out(`${queue.name}  about ${more} more`);
      sent += Math.max(queue.count, shown.length);
    } else {
      await letters.redrive(queue, (letter) => {
        sent += 1;
        terminal.out(`${queue.name}  ${letterLine(letter)}: sent to its queue again`);
      });
    }
  }
  if (sent === 0) terminal.err('there are no dead letters');
  else if (invocation.has('dry-run'))
    terminal.err(`${sent} would be sent again; run it without --dry-run to send them`);
  return 0;
}

/** Checked before any connection, so that a missing --stage is reported, and not missing AWS settings. */
function stageOf(invocation: Invocation): string {
  const stage = invocation.text('stage');
  if (stage === undefined) throw new UsageError('name the deployment with --stage STAGE.');
  return stage;
}
