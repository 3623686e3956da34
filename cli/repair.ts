import { EvenkeelError } from '../lib/core/errors.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { DeployedStack, StackChange } from '../lib/ports/deployed-stack.ts';
import type { Invocation, RunCommand } from './command.ts';
import { UsageError } from './usage-error.ts';
import { openStack } from './wiring-stack.ts';

/** `evenkeel repair --stage STAGE [--dry-run]` */
export const repair: RunCommand = async (invocation, terminal) => {
  const stage = stageOf(invocation);
  using opened = openStack(stage);
  return await repairStack(opened.stack, invocation, terminal);
};

/**
 * Creates again what was deleted from a stage's stack by hand, and reverts what was changed.
 * @throws EvenkeelError NOT_DEPLOYED; REPAIR_LOSES when an existing part would be deleted or replaced.
 */
export async function repairStack(stack: DeployedStack, invocation: Invocation, terminal: Terminal): Promise<number> {
  const stage = stageOf(invocation);
  if ((await stack.describe()) === undefined) {
    throw new EvenkeelError(
      'NOT_DEPLOYED',
      `stage ${stage} has no stack with these AWS settings. Check the stage, AWS_REGION and AWS_PROFILE; deploy it with npx serverless deploy --stage ${stage}.`,
    );
  }
  const { changes, apply, discard } = await stack.prepareRepair();
  for (const change of changes) terminal.out(changeLine(change));
  const losing = changes.filter(({ loses }) => loses);
  if (changes.length === 0 || invocation.has('dry-run') || losing.length > 0) await discard();
  if (losing.length > 0) {
    throw new EvenkeelError(
      'REPAIR_LOSES',
      `a repair would lose ${losing.map(({ logicalId }) => logicalId).join(', ')}, which exists. Nothing was changed. Undo by hand what was changed there; evenkeel doctor names it.`,
    );
  }
  if (changes.length === 0) terminal.err('every part of the stack is as it was deployed');
  else if (invocation.has('dry-run')) terminal.err('nothing was changed; run it without --dry-run to repair');
  else {
    await apply();
    terminal.err(`repaired ${changes.length === 1 ? 'one part' : `${changes.length} parts`}`);
  }
  return 0;
}

function changeLine({ action, type, logicalId, loses }: StackChange): string {
  return `${action.toLowerCase()}  ${type} ${logicalId}${loses ? ': loses what it holds' : ''}`;
}

/** Checked before any connection, so that a missing --stage is reported, and not missing AWS settings. */
function stageOf(invocation: Invocation): string {
  const stage = invocation.text('stage');
  if (stage === undefined) throw new UsageError('name the deployment with --stage STAGE.');
  return stage;
}
