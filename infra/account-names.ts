import { createHash } from 'node:crypto';
import { tableName } from '../lib/deployment/installation/resource-names.ts';
import type { DeployedFunction } from './deployed-functions.ts';
import type { Stage } from './stage.ts';

/** IAM's limit for the name of a role. */
const LONGEST_ROLE_NAME = 64;
const DIGEST_LENGTH = 8;

/** The name of a function's role. Role names are unique in an account, function names in a region. */
export function roleName(stage: Stage, { name }: Pick<DeployedFunction, 'name'>): string {
  return fitted(inAccount(stage, name));
}

/** The policy for the role of a pod with the relay. */
export function relayPolicyName(stage: Stage): string {
  return inAccount(stage, `${tableName(stage.name)}-relay`);
}

export function dashboardName(stage: Stage): string {
  return inAccount(stage, tableName(stage.name));
}

function inAccount({ cloud }: Stage, name: string): string {
  return cloud.names === 'region' ? `${name}-${cloud.region}` : name;
}

/** Cuts a name that is too long, and adds a digest of the whole name. */
function fitted(name: string): string {
  if (name.length <= LONGEST_ROLE_NAME) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  return `${name.slice(0, LONGEST_ROLE_NAME - DIGEST_LENGTH - 1)}-${digest}`;
}
