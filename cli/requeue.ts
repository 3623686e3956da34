import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import type { Inspection } from './inspection/inspection.ts';
import { pauseNote } from './inspection/pause-note.ts';
import { requeueTarget } from './inspection/requeue-target.ts';
import { parseTargetName } from './inspection/target-name.ts';
import { openInspection } from './wiring.ts';

/** `evenkeel requeue KIND/NAMESPACE/NAME` */
export const requeue: RunCommand = async (invocation, terminal) => {
  await using inspection = await openInspection(invocation);
  return await sendRequeue(inspection, invocation, terminal);
};

export async function sendRequeue(inspection: Inspection, invocation: Invocation, terminal: Terminal): Promise<number> {
  const [operand = ''] = invocation.operands;
  const uids = await requeueTarget(inspection, parseTargetName(operand, inspection.kinds));
  for (const uid of uids) terminal.out(`requested a pass of ${operand} (uid ${uid})`);
  const note = await pauseNote(inspection);
  if (note !== undefined) terminal.err(note);
  return 0;
}
