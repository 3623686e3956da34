import type { FinalizeResult, ReconcileResult } from '../../core/controller.ts';
import { EvenkeelError, TerminalError } from '../../core/errors.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { checkAt, type Outcome, settled } from '../../core/outcome.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import { conditionFalse, conditionTrue, conditionUnknown } from '../conditions.ts';
import { listedNames } from '../failure-conditions.ts';
import type { Kind } from '../kind/define-kind.ts';
import type { KindObject } from '../kind/kind-object.ts';
import { parseSpec } from '../parse-spec.ts';
import { isFields } from '../value-at.ts';
import { AuthorContext } from './author-context.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { Progressing } from './kind-result.ts';
import { kindStatus } from './kind-status.ts';

/** One controller of `defineController`, as the engine calls it. */
export interface AuthorRun<Spec, Status> {
  readonly definition: ControllerDefinition<Spec, Status>;
  readonly owns: readonly ResourceType[];
}

/** Parses the spec, runs `reconcile`, and makes a status from its result. */
export async function runReconcile<Spec, Status>(
  { definition, owns }: AuthorRun<Spec, Status>,
  object: KubeObject,
  engine: ReconcileContext,
): Promise<ReconcileResult> {
  const { kind } = definition;
  const context = contextOf({ definition, owns }, object, engine);
  const returned: unknown = await definition.reconcile(typed(kind, object), context);
  const result = isFields(returned) && 'outcome' in returned ? returned : { outcome: returned };
  const { outcome, status, conditions } = result as Readonly<Record<string, unknown>>;
  // The engine refuses a value that is not an outcome, and names the valid ones.
  if (!isFields(outcome)) return returned as ReconcileResult;
  const given = { fields: status, ...(Array.isArray(conditions) && { conditions }) };
  const made = (ready?: Parameters<typeof kindStatus>[3]['ready']) =>
    kindStatus(kind, object, engine.nowMs, { ...given, ...(ready && { ready }) });
  switch (outcome.type) {
    case 'progressing': {
      const { reason, message, checkAtMs } = outcome as unknown as Progressing;
      const next = checkAtMs === undefined ? settled() : checkAt(checkAtMs);
      return { outcome: next, status: made(conditionFalse('Ready', reason, message)), progressing: true };
    }
    case 'settled':
    case 'checkAt': {
      const ready = conditionTrue('Ready', 'Reconciled', 'The cluster is as the spec says.');
      return { outcome: outcome as unknown as Outcome, status: made(ready) };
    }
    case 'terminal':
      return { outcome: outcome as unknown as Outcome, status: made() };
    default: {
      if (status === undefined && conditions === undefined) return { outcome: outcome as unknown as Outcome };
      const ready = conditionUnknown('Ready', 'Retrying', 'The pass failed; it is retried.');
      return { outcome: outcome as unknown as Outcome, status: made(ready) };
    }
  }
}

/**
 * Runs `finalize`, and then removes the owned objects that are left. Finished when every object that must be absent is
 * absent.
 * @throws EvenkeelError UNCONFIRMED when a call of `finalize` was not confirmed, although `finalize` returned.
 */
export async function runFinalize<Spec, Status>(
  { definition, owns }: AuthorRun<Spec, Status>,
  object: KubeObject,
  engine: ReconcileContext,
): Promise<FinalizeResult> {
  const { kind } = definition;
  const context = contextOf({ definition, owns }, object, engine);
  await definition.finalize?.(typed(kind, object), context);
  assertConfirmed(context);
  if (context.pending.length === 0) await context.absentOwned();
  if (context.pending.length === 0) return { done: true };
  const message = `Waits until these are gone: ${listedNames(context.pending)}.`;
  const ready = conditionFalse('Ready', 'Terminating', message);
  return { done: false, outcome: settled(), status: kindStatus(kind, object, engine.nowMs, { ready }) };
}

function contextOf<Spec, Status>(
  { definition: { kind, reads = [], finalize }, owns }: AuthorRun<Spec, Status>,
  object: KubeObject,
  engine: ReconcileContext,
): AuthorContext {
  return new AuthorContext({ type: kind, object, owns, reads, finalizes: finalize !== undefined, engine });
}

/** If an author catches the error of a call, or does not await the call, its effect may be missing. */
function assertConfirmed({ unconfirmed }: AuthorContext): void {
  if (unconfirmed.length === 0) return;
  const what = `finalize returned, but these calls are not confirmed: ${listedNames(unconfirmed)}`;
  throw new EvenkeelError('UNCONFIRMED', `${what}. It is called again. Await each call, and let its error through.`);
}

/** @throws TerminalError InvalidSpec */
function typed<Spec, Status>(kind: Kind<Spec, Status>, object: KubeObject): KindObject<Spec, Status> {
  const parsed = parseSpec(kind.spec, { ...object, spec: object.spec ?? {} });
  if (!parsed.valid) throw new TerminalError('InvalidSpec', parsed.message);
  return { ...object, spec: parsed.spec } as KindObject<Spec, Status>;
}
