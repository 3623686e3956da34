import { z } from 'zod';
import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { conditionInput, notEvaluated, statusFields } from '../../../kit/conditions.ts';

export type GatewayPhase = 'Pending' | 'Provisioning' | 'Running' | 'Degraded' | 'Failed' | 'Terminating';

export interface Health {
  readonly phase: GatewayPhase;
  readonly available: ConditionInput;
}

const deploymentSchema = z.object({
  metadata: z.object({ generation: z.number().default(0) }),
  status: z
    .object({
      observedGeneration: z.number().default(0).catch(0),
      readyReplicas: z.number().default(0).catch(0),
      updatedReplicas: z.number().default(0).catch(0),
    })
    .default({ observedGeneration: 0, readyReplicas: 0, updatedReplicas: 0 })
    .catch({ observedGeneration: 0, readyReplicas: 0, updatedReplicas: 0 }),
});

/**
 * Pure: a report, never a gate.
 * @param deployment the present one of this Gateway; undefined when there is none.
 * @param before the phase that was published last.
 */
export function gatewayHealth(deployment: KubeObject | undefined, wanted: number, before: GatewayPhase): Health {
  if (deployment === undefined) {
    const available = conditionInput('Available', 'False', 'NoDeployment', 'The gateway has no Deployment yet.');
    return { phase: hasRun(before) ? 'Degraded' : 'Provisioning', available };
  }
  const { metadata, status } = deploymentSchema.parse(deployment);
  const { readyReplicas: ready } = status;
  const isCurrent = status.observedGeneration >= metadata.generation;
  const count = `${ready}/${wanted} replicas ready`;
  if (isCurrent && ready >= wanted && status.updatedReplicas >= wanted) {
    return { phase: 'Running', available: conditionInput('Available', 'True', 'ReplicasReady', `${count}.`) };
  }
  if (ready >= wanted && hasRun(before)) {
    const text = `${count}; a new version is being rolled out.`;
    return { phase: 'Running', available: conditionInput('Available', 'True', 'RollingOut', text) };
  }
  const isShort = ready > 0 || hasRun(before);
  const reason = isShort ? 'ReplicasShort' : 'ReplicasNotReady';
  return {
    phase: isShort ? 'Degraded' : 'Provisioning',
    available: conditionInput('Available', 'False', reason, `${count}.`),
  };
}

/** The Deployment could not be read, so the phase does not change. */
export function unknownHealth(before: GatewayPhase): Health {
  return { phase: before, available: notEvaluated('Available', 'The Deployment could not be read.') };
}

export function previousPhase(status: unknown): GatewayPhase {
  const { phase } = statusFields(status);
  const known: readonly GatewayPhase[] = ['Provisioning', 'Running', 'Degraded', 'Failed', 'Terminating'];
  return known.find((each) => each === phase) ?? 'Pending';
}

function hasRun(phase: GatewayPhase): boolean {
  return phase === 'Running' || phase === 'Degraded';
}
