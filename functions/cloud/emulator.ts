import type { CloudEnvironment } from './cloud-environment.ts';
import { EMULATOR_STAGE } from './cloud-names.ts';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a function may reach clusters on its own machine, which forbids in a deployment: only in the stage that is
 * kept for it, and only where AWS itself is an emulator on this machine. A function in AWS that was given such an endpoint
 * could reach neither its table nor its queues, so it could not get as far as a cluster.
 */
export function mayReachThisMachine({
  EVENKEEL_STAGE,
  AWS_ENDPOINT_URL,
}: Pick<CloudEnvironment, 'EVENKEEL_STAGE' | 'AWS_ENDPOINT_URL'>): boolean {
  if (EVENKEEL_STAGE !== EMULATOR_STAGE || AWS_ENDPOINT_URL === undefined) return false;
  return LOOPBACK_HOSTS.has(new URL(AWS_ENDPOINT_URL).hostname);
}
