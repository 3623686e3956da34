import { EMULATOR_STAGE } from './cloud-names.ts';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether clusters on this machine may be reached, which R-5.16 forbids to other deployments. It needs the stage that
 * is reserved for it, and an emulator of AWS on this machine. A function in AWS with such an endpoint would reach
 * neither its table nor its queues, so it could not connect to a cluster.
 * @param awsEndpoint the endpoint, when it is not AWS' own.
 */
export function mayReachThisMachine(stage: string, awsEndpoint: string | undefined): boolean {
  if (stage !== EMULATOR_STAGE || awsEndpoint === undefined || !URL.canParse(awsEndpoint)) return false;
  return LOOPBACK_HOSTS.has(new URL(awsEndpoint).hostname);
}
