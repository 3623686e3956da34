import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Deployments } from '../../../core/resource-type.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import type { SecretContract } from '../contract.ts';
import type { Finding } from '../finding.ts';
import type { SecretValues } from '../key-rules.ts';
import { failureOf, observe } from '../observation.ts';
import { saveFields } from '../save-fields.ts';
import { digestContent } from './content-digest.ts';
import { mutationFinding, planRollout, SECRET_REVISION_ANNOTATION, withRolled } from './plan-rollout.ts';
import { NO_ROLLOUT, readRolloutState, rolloutValues } from './rollout-state.ts';

export interface RolloutPermission {
  /** The installation's consent. */
  readonly allowMutation: boolean;
  /** The installation's key for comparing content. */
  readonly digestKey: string | Uint8Array;
}

export interface RolloutResult {
  readonly findings: readonly Finding[];
  /** The first read or patch that failed: the pass is to be tried again. */
  readonly failure: ApiError | undefined;
}

const NOTHING_TO_DO: RolloutResult = { findings: [], failure: undefined };

/**
 * Rolls out the contract's targets when the content of its declared keys changed.
 * @param values the Secret's, only when the contract is Ready.
 */
export async function rollOut(
  contract: SecretContract,
  values: SecretValues | undefined,
  permission: RolloutPermission,
  context: ReconcileContext,
): Promise<RolloutResult> {
  if (contract.mutation === 'Disabled') {
    // Switched on again later, it starts from a new baseline.
    await saveFields(context, NO_ROLLOUT);
    return NOTHING_TO_DO;
  }
  if (!permission.allowMutation || values === undefined) {
    const findings = contract.targets.map((name) => mutationFinding(name, 'MutationNotPermitted'));
    return { findings, failure: undefined };
  }
  const targets = await Promise.all(
    contract.targets.map(async (name) => ({
      name,
      deployment: await observe(() => context.get(Deployments, { namespace: contract.namespace, name })),
    })),
  );
  const content = digestContent(permission.digestKey, contract.uid, contract.keys, values);
  const plan = planRollout(readRolloutState(context.values), content, targets);
  await saveFields(context, rolloutValues(plan.state));

  const findings = [...plan.findings];
  let failure = targets.map(({ deployment }) => failureOf(deployment)).find((error) => error !== undefined);
  let { state } = plan;
  for (const { name, deployment } of plan.patches) {
    try {
      await context.mergePatch(Deployments, deployment, annotationPatch(state.revision));
      state = withRolled(state, name, deployment);
    } catch (error) {
      // One target that cannot be patched holds up no other.
      if (!isApiError(error)) throw error;
      if (error.reason === 'Forbidden') findings.push(mutationFinding(name, 'MutationNotPermitted'));
      failure ??= error;
    }
  }
  await saveFields(context, rolloutValues(state));
  return { findings, failure };
}

function annotationPatch(revision: number) {
  return { spec: { template: { metadata: { annotations: { [SECRET_REVISION_ANNOTATION]: String(revision) } } } } };
}
