import { EvenkeelError, errorLines } from '../../lib/core/errors.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { Leases, Namespaces } from '../../lib/core/resource-type.ts';
import { type ClusterIdentity, RELAY_IDENTITY } from '../../lib/deployment/cloud/cloud-names.ts';
import { installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { comparePublished } from '../../lib/deployment/kubernetes/compare-published.ts';
import { compareDefinitions } from '../../lib/deployment/kubernetes/install-definitions.ts';
import { neededDefinitions } from '../../lib/deployment/kubernetes/needed-definitions.ts';
import { SYSTEM_NAMESPACE } from '../../lib/deployment/kubernetes/system-namespace.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import { readLease } from '../../lib/engine/deployment-lease/lease-record.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import { watchStreams } from '../../lib/engine/watch/watch-stream.ts';
import type { AccessReviewer } from '../../lib/ports/access-review.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';
import type { PublishedSchemas } from '../../lib/ports/published-schemas.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { type Diagnosis, note, ok, trouble } from './diagnosis.ts';
import { accessText, shippedAccess } from './shipped-access.ts';

/** A connection to a cluster with one of its identities. */
export interface ReachedCluster {
  readonly api: ClusterApi;
  readonly access: AccessReviewer;
  readonly schemas: PublishedSchemas;
  /**
   * The connection uses the caller's identity, because only the function itself has its own. So the function's
   * permissions are not known.
   */
  readonly asMyself: boolean;
}

export interface ClusterExamination {
  readonly name: string;
  /** @throws EvenkeelError for a parameter that cannot be used. */
  readonly reach: (identity: ClusterIdentity) => ReachedCluster;
  readonly store: StateStore;
  readonly settings: Settings;
  /**
   * The settings of the next deployment, if given. The requests of objects that these settings do not permit are
   * listed.
   */
  readonly nextSettings?: Settings | undefined;
  readonly registry: Registry;
  /** The controller groups that exist; by default those of this release. */
  readonly groups?: ControllerGroups;
  /** The deployment's name in Leases. */
  readonly deployment: string;
  readonly clock: Clock;
}

const CRDS_ADVICE = 'Install the CRDs: kubectl apply --server-side -f infra/kubernetes/crds.';
const ROLES_ADVICE = 'Apply the roles: kubectl apply -k infra/kubernetes/roles, and those of each installed group.';

/**
 * Checks the connection to a cluster, the permissions there, the kinds that it serves, and the deployments that drive
 * it.
 */
export async function examineCluster(examination: ClusterExamination): Promise<Diagnosis[]> {
  const { name, registry } = examination;
  try {
    const reached = examination.reach(RELAY_IDENTITY);
    const identity = await examineIdentity(examination, reached);
    if (identity.level === 'trouble') return [{ ...identity, reason: 'DefinitionsUnknown' }];
    const kinds = await examineKinds(examination, reached);
    const diagnoses = [identity, ...kinds, ...(await examineDefinitions(examination, reached))];
    for (const group of [RELAY_IDENTITY, ...registry.groups()]) diagnoses.push(await examineAccess(examination, group));
    for (const group of registry.groups()) diagnoses.push(...(await examineLease(examination, reached, group)));
    diagnoses.push(...(await examineGroups(examination, reached)));
    return diagnoses;
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    const advice = 'Correct it, and run the doctor again.';
    return errorLines(error).map((line) => ({ ...trouble(name, line, advice), reason: 'DefinitionsUnknown' }));
  }
}

/** Runs the checks of each group, with the settings of the next deployment if given. */
async function examineGroups(
  { name, settings, nextSettings = settings, groups }: ClusterExamination,
  { api }: ReachedCluster,
): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const { manifest, section } of installedGroups(nextSettings, groups)) {
    const found = (await manifest.checks?.cluster?.(section, api)) ?? [];
    diagnoses.push(...found.map((diagnosis) => ({ about: name, ...diagnosis })));
  }
  return diagnoses;
}

async function examineIdentity({ name, store }: ClusterExamination, { api }: ReachedCluster): Promise<Diagnosis> {
  let uid: string;
  try {
    uid = (await api.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true })).metadata.uid;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const advice =
      error.reason === 'Unauthorized'
        ? 'Its token has expired or belongs to another cluster: write a new one to the secret. With EKS, check the access entries.'
        : error.reason === 'Forbidden'
          ? ROLES_ADVICE
          : "Check the parameter's server, and the route to it: VPC, security groups, allowed networks.";
    return trouble(name, error.message, advice);
  }
  const { clusterUid } = await store.readCluster(name);
  if (clusterUid === undefined) return note(name, 'it answers; the first function that reaches it registers it');
  if (clusterUid === uid) return ok(name, 'it answers, and it is the registered cluster');
  return trouble(
    name,
    `another cluster answers: the UID of kube-system is ${uid}, and ${clusterUid} is registered`,
    'Correct the parameter; a cluster that was rebuilt on purpose needs a parameter of another name.',
  );
}

async function examineKinds({ name, registry, settings }: ClusterExamination, { api }: ReachedCluster) {
  const diagnoses: Diagnosis[] = [];
  const streams = watchStreams(registry, settings.scope);
  for (const { id, kind, namespace, labelSelector } of streams) {
    try {
      await api.list(kind.type, {
        metadataOnly: true,
        limit: 1,
        skipUnreadable: true,
        ...(namespace !== '' && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
      });
    } catch (error) {
      if (!isApiError(error)) throw error;
      const isMissing = error.reason === 'KindMissing';
      const advice = isMissing ? CRDS_ADVICE : ROLES_ADVICE;
      diagnoses.push(trouble(name, `${id} cannot be watched: ${error.message}`, advice));
    }
  }
  return diagnoses.length > 0 ? diagnoses : [ok(name, `all ${streams.length} kinds can be listed`)];
}

/** Reports nothing for a definition that is the same as in this release. */
async function examineDefinitions(
  { name, settings, nextSettings = settings, groups = GROUPS }: ClusterExamination,
  reached: ReachedCluster,
): Promise<Diagnosis[]> {
  // A stage's file names modules and not their groups, so settings from the file do not have the groups of an author.
  const hasAuthors = groups.some((group) => !GROUPS.includes(group));
  const registry = installedRegistry(hasAuthors ? settings : nextSettings, { groups });
  const lines = await differingDefinitions(reached, neededDefinitions(registry, groups));
  return lines.map((text) => ({ ...trouble(name, text, CRDS_ADVICE), reason: 'DefinitionOlder' }));
}

/** A line for each CRD of the cluster that is older than this release, or missing. @throws ApiError */
export async function differingDefinitions(
  { api, schemas }: ReachedCluster,
  wanted: readonly DesiredObject[],
): Promise<string[]> {
  try {
    const { faults, notices } = await compareDefinitions(api, wanted);
    return [...faults, ...notices];
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    // The generated roles do not permit reading it, because no function needs it.
    return await comparePublished(schemas, wanted);
  }
}

async function examineAccess(examination: ClusterExamination, identity: ClusterIdentity): Promise<Diagnosis> {
  const { name, settings } = examination;
  const { access, asMyself } = examination.reach(identity);
  if (asMyself)
    return note(
      name,
      `the permissions of ${identity} were not checked, because by IAM only its function has that identity`,
    );
  const missing: string[] = [];
  const wanted = shippedAccess(identity, settings, examination.groups);
  for (const one of wanted) if (!(await access.allows(one))) missing.push(accessText(one));
  if (missing.length === 0) return ok(name, `${identity} has all ${wanted.length} permissions that it needs`);
  return trouble(name, `${identity} lacks permissions: ${missing.join('; ')}`, ROLES_ADVICE);
}

/**
 * The Lease shows the deployment that drives the group. It also shows the difference of clocks, because its holder and
 * the API server both write a time into it.
 */
async function examineLease(
  { name, deployment, settings }: ClusterExamination,
  { api }: ReachedCluster,
  group: string,
): Promise<Diagnosis[]> {
  try {
    const lease = await api.get(Leases, { namespace: SYSTEM_NAMESPACE, name: `evenkeel-${group}` });
    const { holder, renewedAtMs = Number.NaN } = readLease(lease);
    if (holder !== deployment && holder !== '' && settings.standby) {
      return [note(name, `${group} is driven by the deployment ${holder}; this one stands by`)];
    }
    if (holder !== deployment) {
      return [
        trouble(
          name,
          `${group} is driven by ${holder === '' ? 'no deployment' : `the deployment ${holder}`}`,
          'Stop the other one. This one takes over 15 minutes later, or at once if you delete the Lease after that.',
        ),
      ];
    }
    const serverMs = Math.max(...(lease.metadata.managedFields ?? []).map(({ time = '' }) => Date.parse(time)));
    // The server's time has whole seconds.
    const aheadMs = Math.max(0, Math.abs(renewedAtMs - serverMs) - 1_000);
    const driven = ok(name, `${group} is driven by this deployment`);
    if (!(aheadMs > settings.timings.clockSkewMs)) return [driven];
    const text = `the clocks of functions and API server differ by about ${Math.round(aheadMs / 1_000)} s`;
    return [
      driven,
      trouble(name, text, "Set the API server's clock, or raise timings.clockSkew with the other timings."),
    ];
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [note(name, `${group} is driven by no deployment yet`)];
    throw error;
  }
}
