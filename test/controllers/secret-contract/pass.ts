import {
  type SecretContractSettings,
  secretContractController,
} from '../../../lib/controllers/secret-contract/secret-contract-controller.ts';
import type { Condition } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { Outcome } from '../../../lib/core/outcome.ts';
import type { FakeContext } from './fake-context.ts';

export const DIGEST_KEY = 'a-key-of-the-installation';

export interface Pass {
  readonly outcome: Outcome;
  /** The contract after its status was published. */
  readonly object: KubeObject;
  readonly status: PublishedStatus;
}

export interface PublishedStatus {
  readonly conditions: Condition[];
  readonly findings?: { key: string; rule: string; reason: string }[];
  readonly observedSecret?: Record<string, string>;
  readonly lastCheckedTime?: string;
  readonly nextCheckTime?: string;
}

/** Runs one pass and publishes its status like the engine. */
export async function pass(
  object: KubeObject,
  context: FakeContext,
  settings: Partial<SecretContractSettings> = {},
): Promise<Pass> {
  const controller = secretContractController({ allowMutation: false, digestKey: DIGEST_KEY, ...settings });
  const { outcome, status } = await controller.reconcile(object, context);
  return { outcome, object: { ...object, status }, status: status as unknown as PublishedStatus };
}

/** Each condition's status and reason. */
export function shown({ status }: Pass): Record<string, string> {
  return Object.fromEntries(status.conditions.map((each) => [each.type, `${each.status} ${each.reason}`]));
}
