import { EvenkeelError } from '../lib/core/errors.ts';
import { tableName } from '../lib/deployment/installation/resource-names.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { CloudAccount } from '../lib/ports/cloud-account.ts';
import type { DeployedStack, StackChange } from '../lib/ports/deployed-stack.ts';
import type { Invocation, RunCommand } from './command.ts';
import { UsageError } from './usage-error.ts';
import { openDoctor } from './wiring-doctor.ts';

/** `evenkeel repair --stage STAGE [--dry-run]` */
export const repair: RunCommand = async (invocation, terminal) => {
  const stage = stageOf(invocation);
  await using opened = openDoctor(stage);
  return await repairStack(opened, invocation, terminal);
};

/** The clients with which a repair reads and changes. */
export interface RepairTools {
  readonly stack: DeployedStack;
  readonly account: Pick<CloudAccount, 'table' | 'deleteEmptyTable'>;
}

/**
 * Creates again what was deleted from a stage's stack by hand, and reverts what was changed. Deletes a table that a
 * failed deployment left, so that the next deployment can create it.
 * @throws EvenkeelError NOT_DEPLOYED; REPAIR_LOSES when an existing part would be deleted or replaced; TABLE_LEFT when
 * the left table is not empty.
 */
export async function repairStack(
  { stack, account }: RepairTools,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const stage = stageOf(invocation);
  if ((await stack.describe()) === undefined) {
    throw new EvenkeelError(
      'NOT_DEPLOYED',
      `stage ${stage} has no stack with these AWS settings. Check the stage, AWS_REGION and AWS_PROFILE; deploy it with npx serverless deploy --stage ${stage}.`,
    );
  }
  const table = tableName(stage);
  if ((await account.table(table)) !== undefined && !(await stack.owns(table))) {
    return await removeLeftTable(table, account, invocation, terminal);
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

/**
 * A first deployment that fails is rolled back, and the rollback cannot delete a table that is protected. The next deployment would fail,
 * because the table exists.
 */
async function removeLeftTable(
  table: string,
  account: RepairTools['account'],
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  terminal.out(`delete  table ${table}, which a failed deployment left: it is no part of the stack`);
  if (invocation.has('dry-run')) {
    terminal.err('nothing was changed; run it without --dry-run to repair');
    return 0;
  }
  if (!(await account.deleteEmptyTable(table))) {
    throw new EvenkeelError(
      'TABLE_LEFT',
      `the table ${table} is no part of the stack, and it holds items. Nothing was changed. If nobody needs them, delete it: aws dynamodb update-table --table-name ${table} --no-deletion-protection-enabled, then aws dynamodb delete-table --table-name ${table}.`,
    );
  }
  terminal.err('deleted it. Deploy the stage again.');
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
