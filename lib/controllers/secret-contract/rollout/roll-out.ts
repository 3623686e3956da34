import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Deployments } from '../../../core/resource-type.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { refusalText } from '../../../ports/refusal-text.ts';
import type { SecretContract } from '../contract.ts';
import type { Finding } from '../finding.ts';
import type { SecretValues } from '../key-rules.ts';
import { failureOf, observe } from '../observation.ts';
import { saveFields } from '../save-fields.ts';
import { digestContent } from './content-digest.ts';
import {
  mutationCondition,
  type PlannedPatch,
  planRollout,
  SECRET_REVISION_ANNOTATION,
  targetMark,
  withRefused,
  withRolled,
} from './plan-rollout.ts';
import { NO_ROLLOUT, type RolloutState, readRolloutState, rolloutValues } from './rollout-state.ts';

export interface RolloutPermission {
  /** Whether the installation permits mutations. */
  readonly allowMutation: boolean;
  /** The installation's key for comparing content. */
  readonly digestKey: string | Uint8Array;
}

export interface RolloutResult {
  readonly findings: readonly Finding[];
  /** The first read or patch that failed; the pass is retried because of it. */
  readonly failure: ApiError | undefined;
}

const NOTHING_TO_DO: RolloutResult = { findings: [], failure: undefined };

/** The inputs for rollouts, from what the pass read and judged. */
export interface RolloutInputs {
  /** The values of the Secret; only when the contract is Ready and its content may be compared. */
  readonly values: SecretValues | undefined;
  /** Whether the contract was Ready with its present specification. Then the stored state is of the present Secret. */
  readonly wasReady: boolean;
}

/** Rolls out the contract's targets when the content of its declared keys changed. */
export async function rollOut(
  contract: SecretContract,
  { values, wasReady }: RolloutInputs,
  permission: RolloutPermission,
  context: ReconcileContext,
): Promise<RolloutResult> {
  if (contract.mutation === 'Disabled') {
    // When it is switched on again later, it starts with a new baseline.
    await saveFields(context, NO_ROLLOUT);
    return NOTHING_TO_DO;
  }
  if (!permission.allowMutation || values === undefined) {
    const findings = contract.targets.map((name) => mutationCondition(name, 'MutationNotPermitted'));
    return { findings, failure: undefined };
  }
  const targets = await Promise.all(
    contract.targets.map(async (name) => ({
      name,
      deployment: await observe(() => context.get(Deployments, { namespace: contract.namespace, name })),
    })),
  );
  const secret = targetMark(`${contract.secret.namespace}/${contract.secret.name}`);
  const before = ofSecret(readRolloutState(context.values), secret, wasReady);
  const content = digestContent(permission.digestKey, contract.uid, contract.keys, values);
  const plan = planRollout(before, content, targets);
  const planned = { ...plan.state, secret };
  await saveFields(context, rolloutValues(planned));

  const done = await patchAll(planned, plan.patches, context);
  await saveFields(context, rolloutValues(done.state));
  const unread = targets.map(({ deployment }) => failureOf(deployment)).find((error) => error !== undefined);
  return { findings: [...plan.findings, ...done.findings], failure: unread ?? done.failure };
}

/**
 * Drops the stored content of another Secret, because two Secrets must never be compared: a rollout would show whether
 * they differ, and an author of contracts could find a value by guesses. A rollout that is due stays due. The first
 * release did not store which Secret it read. For its state, the contract's status shows whether the specification is
 * still the same.
 */
function ofSecret(state: RolloutState | undefined, secret: string, wasReady: boolean): RolloutState | undefined {
  if (state === undefined) return undefined;
  const isSame = state.secret === undefined ? wasReady : state.secret === secret;
  return isSame ? state : { ...state, content: new Map() };
}

/** Patches one target after the other. A target that cannot be patched does not stop the others. */
async function patchAll(
  planned: RolloutState,
  patches: readonly PlannedPatch[],
  context: ReconcileContext,
): Promise<RolloutResult & { readonly state: RolloutState }> {
  const findings: Finding[] = [];
  let failure: ApiError | undefined;
  let state = planned;
  for (const patch of patches) {
    try {
      await context.mergePatch(Deployments, patch.deployment, annotationPatch(patch.counter));
      state = withRolled(state, patch);
    } catch (error) {
      if (!isApiError(error)) throw error;
      const refused = refusalText('', error)?.reason;
      if (refused !== undefined)
        findings.push(mutationCondition(patch.name, refused === 'AccessDenied' ? 'MutationNotPermitted' : refused));
      if (wasRefused(error)) state = withRefused(state, patch);
      failure ??= error;
    }
  }
  return { state, findings, failure };
}

/** Whether it is certain that the API server did not apply the patch. */
function wasRefused({ reason, repeated }: ApiError): boolean {
  switch (reason) {
    case 'Conflict':
      return !repeated;
    case 'ServerError':
    case 'Timeout':
    case 'Unreachable':
    case 'Malformed':
      return false;
    default:
      return true;
  }
}

function annotationPatch(counter: number) {
  return { spec: { template: { metadata: { annotations: { [SECRET_REVISION_ANNOTATION]: String(counter) } } } } };
}
