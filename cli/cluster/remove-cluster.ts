import { clusterParametersPath, RELAY_IDENTITY } from '../../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf, parseClusterParameter } from '../../lib/deployment/cloud/cluster-parameter.ts';
import { isInUse, useText } from '../../lib/deployment/kubernetes/cluster-use.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import { checkCluster } from '../inspection/known-cluster.ts';
import { removalSteps } from './access-steps.ts';
import type { ClusterAuth, StageTools } from './cluster-tools.ts';
import type { Step } from './steps.ts';

export interface ClusterRemoval {
  readonly name: string;
  /** The controller groups of the stage. */
  readonly groups: readonly string[];
  /** Forget what the cluster has of the stage. For one that cannot be reached any more, or whose objects may keep their finalizers. */
  readonly forgo: boolean;
}

/**
 * The steps that take a cluster out of a stage: the access of each identity, and the parameter last, since it says which access
 * there is. What is gone already needs no step. The cluster itself is not changed: `evenkeel uninstall` does that. Until then the
 * record of what the cluster has stays.
 * @throws UsageError for a cluster that the stage never had.
 */
export async function stepsToRemove({ name, groups, forgo }: ClusterRemoval, tools: StageTools): Promise<Step[]> {
  const { stage, parameters, parameterWriter, store, region } = tools;
  const listed = await parameters.list(clusterParametersPath(stage));
  const found = listed.find((parameter) => clusterNameOf(parameter) === name);
  const eks = found === undefined ? undefined : eksOf(found, region);
  const access = await removalSteps([RELAY_IDENTITY, ...groups], name, eks, tools);
  const forgotten = forgo ? await stepsToForget(name, tools) : [];
  if (found === undefined) {
    const where = { store, listed: async () => listed.map(clusterNameOf), where: `stage ${stage}` };
    if (access.length + forgotten.length === 0) await checkCluster(name, where);
    return [...access, ...forgotten];
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
    ...forgotten,
  ];
}

async function stepsToForget(name: string, { uses }: Pick<StageTools, 'uses'>): Promise<Step[]> {
  const use = await uses.read(name);
  if (use === undefined) return [];
  const had = isInUse(use) ? ` that it has ${useText(use)}` : ' what the relay recorded of it';
  return [
    {
      text: `forget${had}`,
      run: async () => {
        await uses.forget(name);
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
