import { EMULATOR_STAGE } from './cloud-names.ts';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether clusters on this very machine may be reached, which R-5.16 forbids a deployment: only in the stage that is kept
 * for it, and only where AWS itself is an emulator on this machine. A function in AWS that was given such an endpoint could
 * reach neither its table nor its queues, so it could not get as far as a cluster.
 * @param awsEndpoint where AWS is, when it is not AWS' own.
 */
export function mayReachThisMachine(stage: string, awsEndpoint: string | undefined): boolean {
  if (stage !== EMULATOR_STAGE || awsEndpoint === undefined || !URL.canParse(awsEndpoint)) return false;
  return LOOPBACK_HOSTS.has(new URL(awsEndpoint).hostname);
}
