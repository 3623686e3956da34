import { resolve } from 'node:path';
import { z } from 'zod';
import { EvenkeelError } from '../lib/core/errors.ts';
import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { modulesOf, NO_OWN_CONTROLLERS, type OwnControllers } from '../lib/deployment/author/own-controllers.ts';
import {
  clusterParametersPath,
  deploymentSettingsParameter,
  stageParametersPath,
} from '../lib/deployment/cloud/cloud-names.ts';
import { decodeCloudSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import { clusterNameOf } from '../lib/deployment/cloud/cluster-parameter.ts';
import { type ControllerGroups, GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { ParameterStore } from '../lib/ports/parameter-store.ts';
import { UsageError } from './usage-error.ts';

/** What a stage was deployed with. */
export interface DeployedSettings {
  readonly settings: Settings;
  /** The controllers of the modules that the stage names, read in the folder where the command runs. */
  readonly own: OwnControllers;
  /** The controller groups of this release and those of the modules. */
  readonly groups: ControllerGroups;
}

/**
 * The settings that a stage was deployed with.
 * @throws EvenkeelError NOT_DEPLOYED; INVALID_CONTROLLERS where the stage has modules that cannot be read here.
 */
export async function deployedSettings(stage: string, parameters: ParameterStore): Promise<DeployedSettings> {
  const name = deploymentSettingsParameter(stage);
  const found = (await parameters.list(stageParametersPath(stage))).find((parameter) => parameter.name === name);
  if (found !== undefined) {
    const modules = deployedModules(found.value).map((module) => resolve(module));
    const own = modules.length === 0 ? NO_OWN_CONTROLLERS : await modulesOf(modules);
    const groups = modules.length === 0 ? GROUPS : withAuthorGroups(own.controllers, own.definitions);
    return { settings: decodeCloudSettings(stage, found.value, groups), own, groups };
  }
  throw new EvenkeelError(
    'NOT_DEPLOYED',
    `stage ${stage} is not deployed with these AWS settings: there is no SSM parameter ${name}. Check the stage, AWS_REGION and AWS_PROFILE; deploy it with npx serverless deploy --stage ${stage}.`,
  );
}

/** The names of the controller groups that a stage was deployed with; none where it is not deployed. */
export async function deployedGroups(stage: string, parameters: ParameterStore): Promise<readonly string[]> {
  const name = deploymentSettingsParameter(stage);
  const found = (await parameters.list(stageParametersPath(stage))).find((parameter) => parameter.name === name);
  try {
    const parsed = z.object({ groups: z.record(z.string(), z.unknown()) }).safeParse(JSON.parse(found?.value ?? '{}'));
    return Object.keys(parsed.data?.groups ?? {});
  } catch {
    return [];
  }
}

/** The modules of a stage, from the folder of its serverless.yml. */
function deployedModules(text: string): readonly string[] {
  try {
    const parsed = z.object({ controllers: z.array(z.string()) }).safeParse(JSON.parse(text));
    return parsed.data?.controllers ?? [];
  } catch {
    // The decoding of the settings says what is wrong.
    return [];
  }
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
