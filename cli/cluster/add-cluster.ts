import { isDeepStrictEqual } from 'node:util';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { Namespaces } from '../../lib/core/resource-type.ts';
import { clusterParametersPath, RELAY_IDENTITY } from '../../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf, parseClusterParameter } from '../../lib/deployment/cloud/cluster-parameter.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import type { DeployedSettings } from '../deployed-stage.ts';
import { entrySteps, tokenSteps } from './access-steps.ts';
import type { ClusterAuth, ContextCluster, StageTools } from './cluster-tools.ts';
import { objectSteps } from './object-steps.ts';
import type { Step } from './steps.ts';

export interface ClusterAddition {
  /** The name in the stage. It is part of every key in the table. */
  readonly name: string;
  readonly auth: ClusterAuth;
  readonly tokenLifetimeSeconds: number;
  readonly deployed: DeployedSettings;
}

/**
 * The steps that register a cluster in a stage: CRDs and roles, then the access of each identity. The parameter is
 * last, because the functions use the cluster as soon as it exists. There are no steps for things that are already
 * done, so a command that stopped halfway can run again. This function changes nothing.
 * @throws EvenkeelError ClusterParameterError; CLOUD_CONNECTION_REFUSED; OTHER_CLUSTER; ALREADY_REGISTERED;
 * ROLE_REFUSED; OLD_STACK.
 * @throws ApiError when the cluster does not answer.
 */
export async function stepsToAdd(
  addition: ClusterAddition,
  cluster: ContextCluster,
  tools: StageTools,
): Promise<Step[]> {
  const { name, auth, deployed, tokenLifetimeSeconds } = addition;
  const parameter = { name: `${clusterParametersPath(tools.stage)}/${name}`, value: parameterValue(auth, cluster) };
  // Both calls refuse what the functions could not use, before anything is changed.
  parseClusterParameter(parameter, tools.region);
  tools.reach(parameter, RELAY_IDENTITY);
  const listed = await tools.parameters.list(clusterParametersPath(tools.stage));
  await checkIdentity(name, listed, cluster, tools);
  const identities = [RELAY_IDENTITY, ...installedRegistry(deployed.settings, { groups: deployed.groups }).groups()];
  const access =
    auth.type === 'eks'
      ? await entrySteps(identities, auth, tools)
      : await tokenSteps(identities, tokenLifetimeSeconds, { ...parameter, cluster: name }, cluster, tools);
  return [
    ...(await objectSteps(deployed, cluster, tools.clock)),
    ...access,
    ...parameterSteps(parameter, listed, tools),
  ];
}

/** The form that docs/operations.md describes. */
function parameterValue(
  auth: ClusterAuth,
  { server, certificateAuthority, tlsServerName, context }: ContextCluster,
): string {
  if (certificateAuthority === undefined) {
    throw new EvenkeelError(
      'NO_CERTIFICATE_AUTHORITY',
      `context ${context}: its cluster has no certificate-authority-data, by which the functions know the server. Add it to the kubeconfig.`,
    );
  }
  return JSON.stringify({
    server,
    certificateAuthority: Buffer.from(certificateAuthority).toString('base64'),
    ...(tlsServerName !== undefined && { tlsServerName }),
    auth,
  });
}

/**
 * A name belongs to one cluster forever, because the table stores its state under the name. With two names for one
 * cluster, each object would get two sets of passes.
 */
async function checkIdentity(
  name: string,
  listed: readonly Parameter[],
  { api, context }: ContextCluster,
  { store, stage }: StageTools,
): Promise<void> {
  const uid = (await api.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true })).metadata.uid;
  const { clusterUid } = await store.readCluster(name);
  if (clusterUid !== undefined && clusterUid !== uid) {
    throw new EvenkeelError(
      'OTHER_CLUSTER',
      `stage ${stage} knows another cluster as ${name}: its kube-system has the UID ${clusterUid}, and that of context ${context} has ${uid}. Nothing was changed. Use another name, or check the context.`,
    );
  }
  for (const other of listed.map(clusterNameOf)) {
    if (other === name || (await store.readCluster(other)).clusterUid !== uid) continue;
    throw new EvenkeelError(
      'ALREADY_REGISTERED',
      `the cluster of context ${context} is in stage ${stage} already, as ${other}. Nothing was changed. Use that name.`,
    );
  }
}

function parameterSteps(
  parameter: Parameter,
  listed: readonly Parameter[],
  { parameterWriter, region }: StageTools,
): Step[] {
  const found = listed.find(({ name }) => name === parameter.name);
  if (found !== undefined && isSame(found, parameter, region)) return [];
  return [
    {
      text: `${found === undefined ? 'create' : 'change'} parameter ${parameter.name}`,
      run: async () => {
        await parameterWriter.put(parameter.name, parameter.value);
        return undefined;
      },
    },
  ];
}

/** A parameter that cannot be read is replaced. */
function isSame(found: Parameter, wanted: Parameter, region: string): boolean {
  try {
    return isDeepStrictEqual(parseClusterParameter(found, region), parseClusterParameter(wanted, region));
  } catch {
    return false;
  }
}
