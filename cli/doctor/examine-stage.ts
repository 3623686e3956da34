import { type ClusterIdentity, clusterParametersPath } from '../../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf } from '../../lib/deployment/cloud/cluster-parameter.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { tableName } from '../../lib/deployment/installation/resource-names.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { CloudAccount } from '../../lib/ports/cloud-account.ts';
import type { DeadLetters } from '../../lib/ports/dead-letters.ts';
import type { Parameter, ParameterStore } from '../../lib/ports/parameter-store.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { examineAccount } from './examine-account.ts';
import { examineCluster, type ReachedCluster } from './examine-cluster.ts';
import { examineRelay } from './examine-relay.ts';
import { examineTakeOver } from './examine-take-over.ts';
import { type Finding, trouble } from './finding.ts';

/** What the doctor looks with. */
export interface DoctorTools {
  readonly account: CloudAccount;
  readonly letters: DeadLetters;
  readonly parameters: ParameterStore;
  readonly store: StateStore;
  readonly clock: Clock;
  /** @throws EvenkeelError for a parameter that cannot be used. */
  readonly reach: (parameter: Parameter, identity: ClusterIdentity) => ReachedCluster;
}

/**
 * Looks at a stage: first the account, then each cluster.
 * @param onProgress told what comes next.
 * @param nextSettings those that are to be deployed, where they are to be looked at.
 */
export async function examineStage(
  stage: string,
  settings: Settings,
  tools: DoctorTools,
  onProgress: (about: string) => void,
  nextSettings?: Settings,
): Promise<Finding[]> {
  const { account, letters, parameters, store, clock } = tools;
  const groups = Object.keys(settings.groups).sort();
  onProgress('AWS');
  const findings = await examineAccount(stage, groups, account, letters);
  const deployment = (await account.table(tableName(stage)))?.arn ?? '';
  const registry = installedRegistry(settings);
  const path = clusterParametersPath(stage);
  const clusters = await parameters.list(path);
  if (clusters.length === 0) {
    const advice = 'Add one: docs/operations.md, "Adding a cluster".';
    return [...findings, trouble('AWS', `there is no cluster: no SSM parameter under ${path}`, advice)];
  }
  for (const parameter of clusters) {
    const name = clusterNameOf(parameter);
    onProgress(`cluster ${name}`);
    const reach = (identity: ClusterIdentity) => tools.reach(parameter, identity);
    findings.push(
      ...(await examineCluster({ name, reach, store, settings, nextSettings, registry, deployment, clock })),
    );
    findings.push(...(await examineRelay(name, store, registry, settings, clock)));
    findings.push(...(await examineTakeOver(name, store, settings)));
  }
  return findings;
}
