import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import { explainTarget } from './inspection/explain-target.ts';
import { explanationLines } from './inspection/explanation-text.ts';
import type { Inspection } from './inspection/inspection.ts';
import { parseTargetName } from './inspection/target-name.ts';
import { printJson } from './print-json.ts';
import { openInspection } from './wiring.ts';

/** `evenkeel explain KIND/NAMESPACE/NAME` */
export const explain: RunCommand = async (invocation, terminal) => {
  await using inspection = await openInspection(invocation);
  return await printExplanation(inspection, invocation, terminal);
};

export async function printExplanation(
  inspection: Inspection,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const [operand = ''] = invocation.operands;
  const name = parseTargetName(operand, inspection.kinds);
  const explanations = await explainTarget(inspection, name);
  if (explanations.length === 0) {
    terminal.err(
      `evenkeel: no pass of ${operand} is known in cluster ${inspection.cluster}. Check that the object exists, and that the installation's namespaces and selector include it. evenkeel list shows all known objects; evenkeel requeue ${operand} starts a pass.`,
    );
    return 1;
  }
  if (invocation.text('output') === 'json') {
    printJson({ items: explanations }, terminal);
  } else {
    const nowMs = inspection.clock.now();
    for (const [index, explanation] of explanations.entries()) {
      if (index > 0) terminal.out('');
      for (const line of explanationLines(explanation, name.type.kind, nowMs)) terminal.out(line);
    }
  }
  return 0;
}
