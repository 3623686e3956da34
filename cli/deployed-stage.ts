import { EvenkeelError } from '../lib/core/errors.ts';
import {
  clusterParametersPath,
  deploymentSettingsParameter,
  stageParametersPath,
} from '../lib/deployment/cloud/cloud-names.ts';
import { decodeCloudSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import { clusterNameOf } from '../lib/deployment/cloud/cluster-parameter.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { ParameterStore } from '../lib/ports/parameter-store.ts';
import { UsageError } from './usage-error.ts';

/** The settings that a stage was deployed with. @throws EvenkeelError NOT_DEPLOYED */
export async function deployedSettings(stage: string, parameters: ParameterStore): Promise<Settings> {
  const name = deploymentSettingsParameter(stage);
  const found = (await parameters.list(stageParametersPath(stage))).find((parameter) => parameter.name === name);
  if (found !== undefined) return decodeCloudSettings(stage, found.value);
  throw new EvenkeelError(
    'NOT_DEPLOYED',
    `stage ${stage} is not deployed with these AWS settings: there is no SSM parameter ${name}. Check the stage, AWS_REGION and AWS_PROFILE; deploy it with npx serverless deploy --stage ${stage}.`,
  );
}

/** The names of a stage's clusters, in order. */
export async function clustersOf(stage: string, parameters: ParameterStore): Promise<string[]> {
  return (await parameters.list(clusterParametersPath(stage))).map(clusterNameOf).sort();
}

/** The only cluster of a stage. @throws UsageError naming them all when there are several, or none. */
export async function onlyCluster(stage: string, parameters: ParameterStore): Promise<string> {
  const path = clusterParametersPath(stage);
  const names = await clustersOf(stage, parameters);
  const [first] = names;
  if (first !== undefined && names.length === 1) return first;
  throw new UsageError(
    first === undefined
      ? `stage ${stage} has no cluster yet: there is no SSM parameter under ${path}.`
      : `stage ${stage} has several clusters: ${names.join(', ')}. Name one with --cluster.`,
  );
}
