import { resolve } from 'node:path';
import { EvenkeelError } from '../lib/core/errors.ts';
import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { modulesOf, NO_OWN_CONTROLLERS, type OwnControllers } from '../lib/deployment/author/own-controllers.ts';
import {
  clusterParametersPath,
  deploymentSettingsParameter,
  stageParametersPath,
} from '../lib/deployment/cloud/cloud-names.ts';
import { decodeCloudSettings, readWrittenSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import { clusterNameOf } from '../lib/deployment/cloud/cluster-parameter.ts';
import { type ControllerGroups, GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { ParameterStore } from '../lib/ports/parameter-store.ts';
import { UsageError } from './usage-error.ts';

/** The settings and controllers that a stage was deployed with. */
export interface DeployedSettings {
  readonly settings: Settings;
  /** The controllers of the stage's modules, read from the working directory. */
  readonly own: OwnControllers;
  /** The controller groups of this release and of the modules. */
  readonly groups: ControllerGroups;
}

/**
 * Reads the settings that a stage was deployed with.
 * @throws EvenkeelError NOT_DEPLOYED; BROKEN_DEPLOYMENT; INVALID_CONTROLLERS when the stage has modules that cannot be
 * read here.
 */
export async function deployedSettings(stage: string, parameters: ParameterStore): Promise<DeployedSettings> {
  const name = deploymentSettingsParameter(stage);
  const text = await settingsText(stage, parameters);
  if (text !== undefined) {
    const where = holderOf(stage);
    const modules = (readWrittenSettings(text, where).controllers ?? []).map((module) => resolve(module));
    const own = modules.length === 0 ? NO_OWN_CONTROLLERS : await modulesOf(modules);
    const groups = modules.length === 0 ? GROUPS : withAuthorGroups(own.controllers, own.definitions);
    return { settings: decodeCloudSettings(stage, text, groups, where), own, groups };
  }
  throw new EvenkeelError(
    'NOT_DEPLOYED',
    `stage ${stage} is not deployed with these AWS settings: there is no SSM parameter ${name}. Check the stage, AWS_REGION and AWS_PROFILE; deploy it with npx serverless deploy --stage ${stage}.`,
  );
}

/**
 * The names of the controller groups that a stage was deployed with; empty when it is not deployed.
 * @throws EvenkeelError BROKEN_DEPLOYMENT
 */
export async function deployedGroups(stage: string, parameters: ParameterStore): Promise<readonly string[]> {
  const text = await settingsText(stage, parameters);
  return text === undefined ? [] : Object.keys(readWrittenSettings(text, holderOf(stage)).groups ?? {});
}

async function settingsText(stage: string, parameters: ParameterStore): Promise<string | undefined> {
  const name = deploymentSettingsParameter(stage);
  return (await parameters.list(stageParametersPath(stage))).find((parameter) => parameter.name === name)?.value;
}

function holderOf(stage: string): string {
  return `the SSM parameter ${deploymentSettingsParameter(stage)}`;
}

/** The names of a stage's clusters, sorted. */
export async function clustersOf(stage: string, parameters: ParameterStore): Promise<string[]> {
  return (await parameters.list(clusterParametersPath(stage))).map(clusterNameOf).sort();
}

/** The only cluster of a stage. @throws UsageError with the names, when there are several or none. */
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
