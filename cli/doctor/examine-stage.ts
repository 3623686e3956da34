import { InfrastructureError } from '../../lib/core/errors.ts';
import { type ClusterIdentity, clusterParametersPath, RELAY_IDENTITY } from '../../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf } from '../../lib/deployment/cloud/cluster-parameter.ts';
import { type InstalledGroup, installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { tableName } from '../../lib/deployment/installation/resource-names.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { CloudAccount } from '../../lib/ports/cloud-account.ts';
import type { ClusterUse, ClusterUseStore } from '../../lib/ports/cluster-use-store.ts';
import type { DeadLetters } from '../../lib/ports/dead-letters.ts';
import type { DeployedStack } from '../../lib/ports/deployed-stack.ts';
import type { Parameter, ParameterStore } from '../../lib/ports/parameter-store.ts';
import type { SecretStore } from '../../lib/ports/secret-store.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { readInventory } from '../inspection/read-targets.ts';
import { type Diagnosis, trouble } from './diagnosis.ts';
import { examineAccount } from './examine-account.ts';
import { examineCluster, type ReachedCluster } from './examine-cluster.ts';
import { type EntryTools, examineEntries } from './examine-entries.ts';
import { examineRelay } from './examine-relay.ts';
import { examineSecrets } from './examine-secrets.ts';
import { examineStack } from './examine-stack.ts';
import { examineUses } from './examine-uses.ts';

/** The clients that the doctor uses. */
export interface DoctorTools extends Pick<EntryTools, 'region' | 'accessEntries'> {
  readonly account: CloudAccount;
  readonly stack: DeployedStack;
  readonly letters: DeadLetters;
  readonly parameters: ParameterStore;
  readonly store: StateStore;
  /** What the relay recorded of the clusters. */
  readonly uses: Pick<ClusterUseStore, 'list'>;
  readonly clock: Clock;
  /** Absent: the secrets of the groups are not checked. */
  readonly secrets?: SecretStore;
  /** The controller groups that exist; by default those of this release. */
  readonly controllerGroups?: ControllerGroups;
  /** @throws EvenkeelError for a parameter that cannot be used. */
  readonly reach: (parameter: Parameter, identity: ClusterIdentity) => ReachedCluster;
}

/**
 * Checks a stage: first the account, then each cluster.
 * @param onProgress called before each step, with its description.
 * @param nextSettings the settings of the next deployment, if they should be checked.
 */
export async function examineStage(
  stage: string,
  settings: Settings,
  tools: DoctorTools,
  onProgress: (about: string) => void,
  nextSettings?: Settings,
): Promise<Diagnosis[]> {
  const { account, stack, letters, parameters, store, clock, controllerGroups = GROUPS } = tools;
  const groups = Object.keys(settings.groups).sort();
  const known = controllerGroups.map(({ name }) => name);
  onProgress('AWS');
  const diagnoses = await examineAccount(stage, groups, account, letters, settings, known);
  if (tools.secrets !== undefined) {
    const installed = installedGroups(nextSettings ?? settings, controllerGroups);
    diagnoses.push(...(await examineSecrets(stage, installed, tools.secrets)));
  }
  // New settings are checked before a deployment, which must not wait until CloudFormation has compared each part.
  if (nextSettings === undefined) {
    onProgress('the parts of its stack');
    diagnoses.push(...(await examineStack(stage, stack)));
  }
  const deployment = (await account.table(tableName(stage)))?.arn ?? '';
  const registry = installedRegistry(settings, { groups: controllerGroups });
  const path = clusterParametersPath(stage);
  const clusters = await parameters.list(path);
  diagnoses.push(...examineUses(stage, clusters.map(clusterNameOf), await recordedUses(tools)));
  if (clusters.length === 0) {
    const advice = `Add one: evenkeel cluster add NAME --context CONTEXT --stage ${stage}.`;
    return [...diagnoses, trouble('AWS', `there is no cluster: no SSM parameter under ${path}`, advice)];
  }
  for (const parameter of clusters) {
    const name = clusterNameOf(parameter);
    onProgress(`cluster ${name}`);
    const reach = (identity: ClusterIdentity) => tools.reach(parameter, identity);
    diagnoses.push(
      ...(await examineCluster({
        name,
        reach,
        store,
        settings,
        nextSettings,
        registry,
        groups: controllerGroups,
        deployment,
        clock,
      })),
    );
    const identities = [RELAY_IDENTITY, ...registry.groups()];
    diagnoses.push(...(await examineEntries(name, parameter, identities, { ...tools, stage })));
    diagnoses.push(...(await examineRelay(name, store, registry, settings, clock)));
    diagnoses.push(...(await examineInventory(name, store, installedGroups(settings, controllerGroups))));
  }
  return diagnoses;
}

/** None without a table, which is reported elsewhere. */
async function recordedUses({ uses }: Pick<DoctorTools, 'uses'>): Promise<ClusterUse[]> {
  try {
    return await uses.list();
  } catch (error) {
    if (error instanceof InfrastructureError && error.data.error === 'ResourceNotFoundException') return [];
    throw error;
  }
}

/** Runs the checks of each group on the items of a cluster in the table. */
async function examineInventory(
  name: string,
  store: StateStore,
  installed: readonly InstalledGroup[],
): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const { manifest, section } of installed) {
    const found = await manifest.checks?.inventory?.(section, (type) => readInventory(store, name, type));
    diagnoses.push(...(found ?? []).map((diagnosis) => ({ about: name, ...diagnosis })));
  }
  return diagnoses;
}
