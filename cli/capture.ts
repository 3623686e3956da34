import { resolve } from 'node:path';
import { writeWhole } from '../lib/deployment/files/write-whole.ts';
import { clusterUnusable } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import type { RunCommand } from './command.ts';
import { parseTargetName } from './inspection/target-name.ts';
import { openPlan } from './wiring-plan.ts';

/** `evenkeel capture KIND/NAMESPACE/NAME` */
export const capture: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  await using planned = await openPlan(invocation, terminal);
  const { type, namespace, name } = parseTargetName(operand, planned.kinds);
  const file = resolve(invocation.text('file') ?? `${name}.capture.json`);
  try {
    const fixture = await planned.capture(type, { namespace, name });
    writeWhole(file, `${JSON.stringify(fixture, null, 2)}\n`);
    terminal.out(`${fixture.objects.length} objects that a pass of ${operand} reads were written to ${file}`);
  } catch (error) {
    throw clusterUnusable(error, planned.place);
  }
  return 0;
};
