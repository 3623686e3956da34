import { readConditions } from '../lib/core/conditions.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import { explainTarget } from './inspection/explain-target.ts';
import type { Explanation } from './inspection/explanation.ts';
import { explanationLines } from './inspection/explanation-text.ts';
import type { Inspection } from './inspection/inspection.ts';
import { parseTargetName, type TargetName } from './inspection/target-name.ts';
import { exitSignal } from './local/exit-signal.ts';
import { printJson } from './print-json.ts';
import { npmShellPid, openInspection } from './wiring.ts';

/** `evenkeel explain KIND/NAMESPACE/NAME` */
export const explain: RunCommand = async (invocation, terminal) => {
  await using inspection = await openInspection(invocation);
  if (!invocation.has('watch')) return await printExplanation(inspection, invocation, terminal);
  const ended = new AbortController();
  using _exit = exitSignal(() => ended.abort(), npmShellPid);
  return await watchExplanation(inspection, invocation, terminal, ended.signal);
};

/** The interval for reading a watched object again. */
const WATCH_MS = 1_000;
/** The exit code of a shell for a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Prints the explanation after each pass of the object, until the object is Ready or only an edit can help.
 * @returns 0 for Ready, 1 for an object that needs a person, 130 when the signal aborted before.
 */
export async function watchExplanation(
  inspection: Inspection,
  invocation: Invocation,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const name = parseTargetName(invocation.operands[0] ?? '', inspection.kinds);
  for (let before = ''; !signal.aborted; ) {
    const [explanation] = await explainTarget(inspection, name);
    const now = explanation === undefined ? 'unknown' : `${explanation.epoch} ${explanation.committedEpoch}`;
    if (explanation !== undefined && now !== before) await printExplanation(inspection, invocation, terminal);
    if (explanation === undefined && now !== before) terminal.err('no pass of it is known yet');
    before = now;
    const end = explanation === undefined ? undefined : await endOf(inspection, name, explanation);
    if (end !== undefined) return end;
    await inspection.clock.sleep(WATCH_MS, signal).catch(() => {});
  }
  return INTERRUPTED;
}

/** Undefined while a pass for the present state of the object is still expected. */
async function endOf(
  { api }: Inspection,
  name: TargetName,
  { state, lastOutcome, observed }: Explanation,
): Promise<number | undefined> {
  if (state !== 'idle' || lastOutcome === undefined) return undefined;
  // When the cluster cannot be reached, the last pass counts.
  const object = await api?.get(name.type, name).catch(() => undefined);
  const generation = object?.metadata.generation;
  if (generation !== undefined && observed?.generation !== undefined && observed.generation < generation)
    return undefined;
  if (lastOutcome.type === 'terminal' || isStalled(object?.status)) return 1;
  return lastOutcome.condition?.split(' ')[1] === 'True' ? 0 : undefined;
}

/** Whether the engine does not continue by itself. */
function isStalled(status: unknown): boolean {
  return readConditions(status).some(({ type, status: isTrue }) => type === 'Stalled' && isTrue === 'True');
}

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
