import { clusterParametersPath, RELAY_IDENTITY } from '../../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf, parseClusterParameter } from '../../lib/deployment/cloud/cluster-parameter.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import { checkCluster } from '../inspection/known-cluster.ts';
import { removalSteps } from './access-steps.ts';
import type { ClusterAuth, StageTools } from './cluster-tools.ts';
import type { Step } from './steps.ts';

export interface ClusterRemoval {
  readonly name: string;
  /** The controller groups of the stage. */
  readonly groups: readonly string[];
}

/**
 * The steps that remove a cluster from a stage: the access of each identity, and then the parameter. The parameter is
 * last, because it shows which access exists. There are no steps for things that are already gone. The cluster itself
 * is not changed: `evenkeel uninstall` does that.
 * @throws UsageError for a cluster that the stage never had.
 */
export async function stepsToRemove({ name, groups }: ClusterRemoval, tools: StageTools): Promise<Step[]> {
  const { stage, parameters, parameterWriter, store, region } = tools;
  const listed = await parameters.list(clusterParametersPath(stage));
  const found = listed.find((parameter) => clusterNameOf(parameter) === name);
  const eks = found === undefined ? undefined : eksOf(found, region);
  const access = await removalSteps([RELAY_IDENTITY, ...groups], name, eks, tools);
  if (found === undefined) {
    const where = { store, listed: async () => listed.map(clusterNameOf), where: `stage ${stage}` };
    if (access.length === 0) await checkCluster(name, where);
    return access;
  }
  return [
    ...access,
    {
      text: `delete parameter ${found.name}`,
      run: async () => {
        await parameterWriter.remove(found.name);
        return undefined;
      },
    },
  ];
}

/** Undefined for a parameter of another type, or an unreadable one. */
function eksOf(parameter: Parameter, region: string): Extract<ClusterAuth, { type: 'eks' }> | undefined {
  try {
    const { auth } = parseClusterParameter(parameter, region);
    return auth.type === 'eks' ? auth : undefined;
  } catch {
    return undefined;
  }
}
