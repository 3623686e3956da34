import { EvenkeelError } from '../lib/core/errors.ts';
import { Leases } from '../lib/core/resource-type.ts';
import { clusterParametersPath, RELAY_IDENTITY } from '../lib/deployment/cloud/cloud-names.ts';
import { clusterNameOf } from '../lib/deployment/cloud/cluster-parameter.ts';
import { installedRegistry } from '../lib/deployment/installation/installed-registry.ts';
import { tableName } from '../lib/deployment/installation/resource-names.ts';
import { isInUse, useText } from '../lib/deployment/kubernetes/cluster-use.ts';
import { neededDefinitions } from '../lib/deployment/kubernetes/needed-definitions.ts';
import { SYSTEM_NAMESPACE } from '../lib/deployment/kubernetes/system-namespace.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import { leaseNameOf, readLease } from '../lib/engine/deployment-lease/lease-record.ts';
import { isApiError } from '../lib/ports/cluster-api.ts';
import type { ClusterUse } from '../lib/ports/cluster-use-store.ts';
import type { Invocation, RunCommand } from './command.ts';
import { type DeployedSettings, deployedSettings } from './deployed-stage.ts';
import { differingDefinitions, type ReachedCluster } from './doctor/examine-cluster.ts';
import type { DoctorTools } from './doctor/examine-stage.ts';
import { printJson } from './print-json.ts';
import { UsageError } from './usage-error.ts';
import { openDoctor } from './wiring-doctor.ts';

/** One row of `evenkeel cluster list`. */
export interface ClusterRow {
  readonly name: string;
  /** The version of its API server; empty when the cluster does not answer. */
  readonly kubernetes: string;
  /** Whether its CRDs are those of this release. */
  readonly definitions: 'current' | 'older' | 'unknown';
  /** The release of the relay that recorded the cluster last; '' when none has. */
  readonly release: string;
  /** The digests of the schemas of its kinds, by group and version, as the relay recorded them. */
  readonly schemas: Readonly<Record<string, string>>;
  /** `this stage`, a deployment's name for each other holder of a Lease, or `nobody`. */
  readonly drivenBy: string;
  /** Why it could not be read. */
  readonly fault?: string;
}

/** `evenkeel cluster list --stage STAGE` */
export const clusterList: RunCommand = async (invocation, terminal) => {
  const stage = invocation.text('stage');
  if (stage === undefined) throw new UsageError('name the deployment with --stage STAGE.');
  await using tools = openDoctor(stage);
  return await listClusters(stage, await deployedSettings(stage, tools.parameters), tools, invocation, terminal);
};

/** Prints each cluster of the stage. @returns 1 when a cluster could not be read. */
export async function listClusters(
  stage: string,
  deployed: Pick<DeployedSettings, 'settings' | 'groups'>,
  { parameters, account, reach, uses }: Pick<DoctorTools, 'parameters' | 'account' | 'reach' | 'uses'>,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const deployment = (await account.table(tableName(stage)))?.arn ?? '';
  const recorded = new Map((await uses.list()).map((use) => [use.cluster, use]));
  const rows: ClusterRow[] = [];
  for (const parameter of await parameters.list(clusterParametersPath(stage))) {
    const name = clusterNameOf(parameter);
    const { release = '', schemas = {} } = recorded.get(name) ?? {};
    recorded.delete(name);
    const row = await rowOf(name, () => reach(parameter, RELAY_IDENTITY), deployed, deployment);
    rows.push({ ...row, release, schemas });
  }
  rows.push(...[...recorded.values()].filter(isInUse).map(removedRow));
  if (invocation.text('output') === 'json') printJson({ items: rows }, terminal);
  else for (const line of table(rows)) terminal.out(line);
  return rows.some(({ fault }) => fault !== undefined) ? 1 : 0;
}

async function rowOf(
  name: string,
  reach: () => ReachedCluster,
  { settings, groups }: Pick<DeployedSettings, 'settings' | 'groups'>,
  deployment: string,
): Promise<Omit<ClusterRow, 'release' | 'schemas'>> {
  try {
    const reached = reach();
    const registry = installedRegistry(settings, { groups });
    const kubernetes = await reached.schemas.serverVersion();
    const older = await differingDefinitions(reached, neededDefinitions(registry, groups));
    const holders = await holdersOf(reached, registry.groups(), deployment);
    return { name, kubernetes, definitions: older.length === 0 ? 'current' : 'older', drivenBy: holders };
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    return { name, kubernetes: '', definitions: 'unknown', drivenBy: '', fault: error.message };
  }
}

/** A cluster that was taken out of the stage and still has something of it. */
function removedRow(use: ClusterUse): ClusterRow {
  const { cluster: name, release, schemas } = use;
  const drivenBy = `nobody: not registered any more, and has ${useText(use)}`;
  return { name, kubernetes: '', definitions: 'unknown', release, schemas, drivenBy };
}

async function holdersOf({ api }: ReachedCluster, groups: readonly string[], deployment: string): Promise<string> {
  const holders = new Set<string>();
  for (const group of groups) {
    try {
      const lease = await api.get(Leases, { namespace: SYSTEM_NAMESPACE, name: leaseNameOf(group) });
      const { holder } = readLease(lease);
      if (holder !== '') holders.add(holder === deployment ? 'this stage' : holder);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  return holders.size === 0 ? 'nobody' : [...holders].sort().join(', ');
}

function table(rows: readonly ClusterRow[]): string[] {
  const cells = [
    ['NAME', 'KUBERNETES', 'CRDS', 'RELEASE', 'DRIVEN BY'],
    ...rows.map(({ name, kubernetes, definitions, release, drivenBy, fault }) => [
      name,
      kubernetes || '-',
      definitions,
      release || '-',
      fault ?? drivenBy,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
