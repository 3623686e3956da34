import { EvenkeelError, InfrastructureError } from '../../lib/core/errors.ts';
import { type ClusterIdentity, functionName } from '../../lib/deployment/cloud/cloud-names.ts';
import { parseClusterParameter } from '../../lib/deployment/cloud/cluster-parameter.ts';
import type { AccessEntries } from '../../lib/ports/access-entries.ts';
import type { AccessPrincipals } from '../../lib/ports/access-principals.ts';
import type { DeployedStack } from '../../lib/ports/deployed-stack.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import { principals } from '../cluster/access-steps.ts';
import type { ClusterAuth } from '../cluster/cluster-tools.ts';
import { type Diagnosis, note, ok, trouble, warning } from './diagnosis.ts';

export interface EntryTools {
  readonly stage: string;
  /** Of the stage. */
  readonly region: string;
  readonly stack: Pick<DeployedStack, 'describe'>;
  /** Those of the EKS clusters of a region. */
  accessEntries(region: string): Pick<AccessEntries, 'groupsOf'> & AccessPrincipals;
}

/**
 * Checks whether a cluster of EKS still lets the roles of the stage in. A role that got another name, or that was made for a new
 * controller group, has no access entry. Nothing for a cluster that authenticates by tokens.
 */
export async function examineEntries(
  name: string,
  parameter: Parameter,
  identities: readonly ClusterIdentity[],
  tools: EntryTools,
): Promise<Diagnosis[]> {
  const eks = eksOf(parameter, tools.region);
  if (eks === undefined) return [];
  try {
    return await examine(name, eks, identities, tools);
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    const advice =
      error instanceof InfrastructureError
        ? 'It needs eks:DescribeAccessEntry and eks:ListAccessEntries. A cluster that knows roles by the ConfigMap aws-auth alone has no access entries: compare its mapRoles with the outputs of the stack.'
        : 'Run the doctor again after that.';
    return [warning(name, `the access entries were not compared: ${error.message}`, advice)];
  }
}

async function examine(
  name: string,
  { clusterName, region }: Extract<ClusterAuth, { type: 'eks' }>,
  identities: readonly ClusterIdentity[],
  { stage, stack, accessEntries }: EntryTools,
): Promise<Diagnosis[]> {
  const entries = accessEntries(region);
  const roles = await principals(identities, { stage, stack });
  const advice = `Run evenkeel cluster add ${name} --context CONTEXT --stage ${stage} --eks ${clusterName} --eks-region ${region}.`;
  const diagnoses: Diagnosis[] = [];
  for (const { roleArn, group } of roles) {
    const groups = await entries.groupsOf(clusterName, roleArn);
    if (groups === undefined) {
      diagnoses.push(trouble(name, `EKS cluster ${clusterName} has no access entry for ${roleArn}`, advice));
    } else if (!groups.includes(group)) {
      const text = `the access entry of ${roleArn} in EKS cluster ${clusterName} lacks the user group ${group}`;
      diagnoses.push(trouble(name, text, advice));
    }
  }
  const wanted = new Set(roles.map(({ roleArn }) => roleArn));
  for (const arn of await entries.principals(clusterName)) {
    if (wanted.has(arn) || !isNamedFor(stage, arn)) continue;
    diagnoses.push(
      note(
        name,
        `EKS cluster ${clusterName} has an access entry for ${arn}, which is no role of this stage in this region`,
        `If no other stage or region uses it: aws eks delete-access-entry --cluster-name ${clusterName} --principal-arn ${arn}`,
      ),
    );
  }
  if (diagnoses.some(({ level }) => level === 'trouble')) return diagnoses;
  return [ok(name, `EKS cluster ${clusterName} has an access entry for each of ${roles.length} roles`), ...diagnoses];
}

/** `arn:aws:iam::111122223333:role/evenkeel-prod-relay`, perhaps with a path. */
function isNamedFor(stage: string, arn: string): boolean {
  return arn.includes(':role/') && arn.slice(arn.lastIndexOf('/') + 1).startsWith(functionName(stage, ''));
}

/** Undefined for another way to authenticate. A parameter that cannot be read is reported elsewhere. */
function eksOf(parameter: Parameter, region: string): Extract<ClusterAuth, { type: 'eks' }> | undefined {
  try {
    const { auth } = parseClusterParameter(parameter, region);
    return auth.type === 'eks' ? auth : undefined;
  } catch (error) {
    if (error instanceof EvenkeelError) return undefined;
    throw error;
  }
}
