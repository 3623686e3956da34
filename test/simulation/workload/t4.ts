import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { T4_DEFINITIONS } from '../../controllers/t4/definitions.ts';
import { DIGEST_KEY, hostSpec, MODELS, SETTINGS, sessionSpec, workspaceSpec } from '../../controllers/t4/objects.ts';
import { changeRefusals, drawnRefusals, noRefusals, refuseNothing } from './refusals.ts';
import { beginAdmission, changeAdmission, t4Admission } from './t4-admission.ts';
import { annotate, annotateAtRest } from './t4-annotations.ts';
import { checkT4, isOwnClaim, keptBy, LOST_ANNOTATION, T4_NAMESPACE } from './t4-check.ts';
import { disrupt, editImage, takeNode } from './t4-disruptions.ts';
import { t4Evidence, t4Finalized } from './t4-rules.ts';

/** Few of each, so that they often meet. */
const HOSTS = ['h0', 'h1'] as const;
const WORKSPACES = ['w0', 'w1'] as const;
const SESSIONS = ['s0', 's1', 's2'] as const;
const CLASSES = ['c0', 'c1'] as const;

const named = (name: string): ObjectName & { name: string } => ({ namespace: T4_NAMESPACE, name });
const hostNamed = (user: User) => named(user.pick(HOSTS));
const workspaceNamed = (user: User) => named(user.pick(WORKSPACES));
const sessionNamed = (user: User) => named(user.pick(SESSIONS));
const CONFIG_MAP = named(SETTINGS.omp.configMap.name);
const SECRET = named(SETTINGS.omp.secret.name);

const newHost = (user: User): JsonObject =>
  hostSpec(user.pick(CLASSES), {
    runtimeProfiles: user.pick([['small'], ['large'], ['small', 'large']]),
  }) as JsonObject;

async function writeWorkspace(user: User): Promise<void> {
  const metadata = workspaceNamed(user);
  const retentionPolicy = user.pick(['Retain', 'Delete']);
  if ((await user.get(T4Workspaces, metadata)) !== undefined)
    return await user.edit(T4Workspaces, metadata, { spec: { displayName: `Name ${user.number(9)}` } });
  return await user.put(T4Workspaces, {
    metadata,
    spec: workspaceSpec({ hostRef: user.pick(HOSTS), retentionPolicy }),
  });
}

async function writeSession(user: User): Promise<void> {
  const metadata = sessionNamed(user);
  const changes = { workspaceRef: user.pick(WORKSPACES), runtimeProfile: user.pick(['small', 'large']) };
  if ((await user.get(T4Sessions, metadata)) !== undefined)
    return await user.edit(T4Sessions, metadata, { spec: changes });
  return await user.put(T4Sessions, { metadata, spec: sessionSpec({ ...changes, hostRef: user.pick(HOSTS) }) });
}

/** A session on the host of its workspace, which may run if everything else is right. */
async function writeFittingSession(user: User): Promise<void> {
  const workspace = await user.get(T4Workspaces, workspaceNamed(user));
  const metadata = sessionNamed(user);
  if (workspace === undefined || (await user.get(T4Sessions, metadata)) !== undefined) return;
  const { hostRef } = workspace.spec as { hostRef: string };
  const spec = sessionSpec({
    workspaceRef: workspace.metadata.name,
    hostRef,
    runtimeProfile: user.pick(['small', 'large']),
  });
  await user.put(T4Sessions, { metadata, spec });
}

function writeClass(user: User): Promise<void> {
  const annotations = { 'cluster.t4.dev/access-modes': user.chance(0.8) ? 'ReadWriteMany' : 'ReadWriteOnce' };
  const metadata = { name: user.pick(CLASSES), annotations };
  return user.put(StorageClasses, { metadata, provisioner: 'sim.example/none', allowVolumeExpansion: true });
}

function writeConfig(user: User): Promise<void> {
  const models = user.pick([MODELS, MODELS, `${MODELS}# ${user.number(9)}\n`, 'providers: {}', `${MODELS}token: x\n`]);
  const settings = user.pick(['theme: dark', 'theme: dark', 'a: &x 1', 'password: x']);
  return user.put(ConfigMaps, { metadata: CONFIG_MAP, data: { 'models.yml': models, 'settings.yml': settings } });
}

function writeCredentials(user: User): Promise<void> {
  const value = (text: string) => Buffer.from(text).toString('base64');
  const data = { token: value(`t${user.number(9)}`), second: user.chance(0.8) ? value('s') : '' };
  return user.put(Secrets, { metadata: SECRET, data });
}

/** The Pod or the Service of an existing session. */
async function childOf(user: User): Promise<{ type: ResourceType; name: ObjectName } | undefined> {
  const session = await user.get(T4Sessions, sessionNamed(user));
  if (session === undefined) return undefined;
  return { type: user.pick([Pods, Services]), name: named(sessionChildName(session.metadata)) };
}

async function claimOf(user: User): Promise<ObjectName | undefined> {
  const workspace = await user.get(T4Workspaces, workspaceNamed(user));
  return workspace && named(claimName(workspace.metadata));
}

async function takeName(user: User): Promise<void> {
  const child = await childOf(user);
  if (child === undefined) return;
  const { type, name } = child;
  const foreign =
    type === Pods
      ? { metadata: name, spec: { containers: [{ name: 'theirs', image: 'theirs' }] } }
      : { metadata: name, spec: { ports: [{ port: 80 }], selector: { app: 'theirs' } } };
  // When nothing exists and nothing is wanted, nobody notices what others create there.
  if ((await user.get(type, name)) !== undefined) await user.replace(type, foreign);
}

/** Writes on the workspace that its data is lost with the claim, if it has a recorded claim. */
async function noteLoss(user: User): Promise<ObjectName | undefined> {
  const workspace = await user.get(T4Workspaces, workspaceNamed(user));
  if (workspace === undefined) return undefined;
  const name = named(claimName(workspace.metadata));
  const claim = await user.get(PersistentVolumeClaims, name);
  const { pvcUID, pvcPhase } = (workspace.status ?? {}) as Record<string, unknown>;
  if (claim !== undefined && pvcPhase === 'Bound' && pvcUID === claim.metadata.uid) {
    const annotations = { [LOST_ANNOTATION]: claim.metadata.uid };
    await user.edit(T4Workspaces, named(workspace.metadata.name), { metadata: { annotations } });
  }
  return name;
}

/** Accepts that the data of a workspace is lost. */
async function acceptLoss(user: User): Promise<void> {
  const workspace = await user.get(T4Workspaces, workspaceNamed(user));
  const isLost = readConditions(workspace?.status).some(({ reason }) => reason === 'DataMissing');
  if (workspace === undefined || !isLost) return;
  const { pvcUID = '' } = workspace.status as Record<string, string>;
  const annotations = { 'cluster.t4.dev/rebuild': user.chance(0.9) ? pvcUID : 'another' };
  await user.edit(T4Workspaces, named(workspace.metadata.name), { metadata: { annotations } });
}

/** Creates a claim of somebody else under the name of the workspace's claim. */
async function takeClaim(user: User): Promise<void> {
  const name = await noteLoss(user);
  if (name === undefined || (await user.get(PersistentVolumeClaims, name)) === undefined) return;
  const resources = { requests: { storage: '10Gi' } };
  const spec = { accessModes: ['ReadWriteMany'], storageClassName: user.pick(CLASSES), resources };
  await user.forceFinalizers(PersistentVolumeClaims, name);
  await user.replace(PersistentVolumeClaims, { metadata: name, spec });
}

async function giveBack(user: User): Promise<void> {
  for (const session of await user.list(T4Sessions, T4_NAMESPACE)) {
    const name = named(sessionChildName(session.metadata));
    for (const type of [Pods, Services]) await removeForeign(user, type, name, session);
  }
  for (const workspace of await user.list(T4Workspaces, T4_NAMESPACE)) {
    const name = named(claimName(workspace.metadata));
    const claim = await user.get(PersistentVolumeClaims, name);
    if (claim !== undefined && !isOwnClaim(claim, workspace)) await removeClaim(user, name);
  }
}

async function removeForeign(user: User, type: ResourceType, name: ObjectName, owner: KubeObject): Promise<void> {
  const found = await user.get(type, name);
  const isOwn = found?.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
  if (found !== undefined && !isOwn) await user.remove(type, name);
}

/** Like a person who does not check whether it is in use. */
async function removeClaim(user: User, name: ObjectName): Promise<void> {
  await user.forceFinalizers(PersistentVolumeClaims, name);
  await user.remove(PersistentVolumeClaims, name);
}

async function editChild(user: User): Promise<void> {
  const child = await childOf(user);
  if (child === undefined) return;
  const { type, name } = child;
  const label = {
    metadata: { labels: { [user.pick(['app.kubernetes.io/managed-by', 'cluster.t4.dev/session'])]: 'x' } },
  };
  const ofService = user.pick<JsonObject>([
    { spec: { type: 'NodePort' } },
    { spec: { ports: [{ name: 'host', port: 80 }] } },
    { spec: { selector: { extra: 'x' } } },
  ]);
  await user.edit(type, name, type === Services && user.chance(0.7) ? ofService : label);
}

async function forceFinalizers(user: User): Promise<void> {
  const [type, name] = user.chance(0.5)
    ? ([T4Sessions, sessionNamed(user)] as const)
    : ([T4Workspaces, workspaceNamed(user)] as const);
  const found = await user.get(type, name);
  if (found?.metadata.deletionTimestamp !== undefined && user.chance(0.3)) await user.forceFinalizers(type, name);
}

async function prepare(user: User): Promise<void> {
  await beginAdmission(user);
  for (const name of CLASSES) {
    const metadata = { name, annotations: { 'cluster.t4.dev/access-modes': 'ReadWriteMany' } };
    await user.put(StorageClasses, { metadata, provisioner: 'sim.example/none', allowVolumeExpansion: true });
  }
  await user.put(ConfigMaps, { metadata: CONFIG_MAP, data: { 'models.yml': MODELS, 'settings.yml': 'a: 1' } });
  const value = Buffer.from('x').toString('base64');
  await user.put(Secrets, { metadata: SECRET, data: { token: value, second: value } });
  for (const name of HOSTS) await user.put(T4ClusterHosts, { metadata: named(name), spec: hostSpec('c0') });
  await user.put(T4Workspaces, { metadata: named('w0'), spec: workspaceSpec({ hostRef: 'h0' }) });
  await user.put(T4Sessions, { metadata: named('s0'), spec: sessionSpec({ hostRef: 'h0', workspaceRef: 'w0' }) });
}

/** The real controllers with their CRDs, and stand-ins for storage and kubelet. */
export function t4(): Workload {
  const refusals = noRefusals();
  return {
    controllers: t4Controllers(SETTINGS, DIGEST_KEY),
    definitions: T4_DEFINITIONS,
    namespaces: [T4_NAMESPACE],
    standIns: ['volumes', 'pods'],
    prepare,
    actions: {
      'writes a host': (user) => user.put(T4ClusterHosts, { metadata: hostNamed(user), spec: newHost(user) }),
      'deletes a host': (user) => user.remove(T4ClusterHosts, hostNamed(user)),
      'replaces a host': (user) => user.replace(T4ClusterHosts, { metadata: hostNamed(user), spec: newHost(user) }),
      'writes a workspace': writeWorkspace,
      'writes another workspace': writeWorkspace,
      'deletes a workspace': (user) => user.remove(T4Workspaces, workspaceNamed(user)),
      'writes a session': writeSession,
      'writes a fitting session': writeFittingSession,
      'writes another fitting session': writeFittingSession,
      'deletes a session': (user) => user.remove(T4Sessions, sessionNamed(user)),
      'writes a storage class': writeClass,
      'replaces a storage class': async (user) => {
        await user.remove(StorageClasses, { namespace: '', name: user.pick(CLASSES) });
        await writeClass(user);
      },
      'writes the OMP ConfigMap': writeConfig,
      'deletes the OMP ConfigMap': (user) => user.remove(ConfigMaps, CONFIG_MAP),
      'writes the OMP Secret': writeCredentials,
      'deletes the OMP Secret': (user) => user.remove(Secrets, SECRET),
      'deletes what a session has': async (user) => {
        const child = await childOf(user);
        if (child !== undefined) await user.remove(child.type, child.name);
      },
      'edits what a session has': editChild,
      'edits the image of a Pod': editImage,
      'evicts a Pod': disrupt,
      'takes a node away': takeNode,
      'annotates what sessions use': annotate,
      'changes what admission rewrites': changeAdmission,
      'changes what admission refuses': changeRefusals,
      'takes a name': takeName,
      'deletes a claim': async (user) => {
        const name = await noteLoss(user);
        if (name !== undefined)
          await (user.chance(0.5) ? user.remove(PersistentVolumeClaims, name) : removeClaim(user, name));
      },
      'edits a claim': async (user) => {
        const name = await claimOf(user);
        const labels = { 'app.kubernetes.io/managed-by': null };
        const patch = user.pick<JsonObject>([{ metadata: { labels } }, { metadata: { ownerReferences: null } }]);
        if (name !== undefined) await user.edit(PersistentVolumeClaims, name, patch);
      },
      'takes a claim': takeClaim,
      'accepts the loss of a claim': acceptLoss,
      'accepts the loss of another claim': acceptLoss,
      'gives names back': giveBack,
      'takes a finalizer off': forceFinalizers,
    },
    admission: (request, cluster) => t4Admission(request, cluster, refusals),
    drawn: () => drawnRefusals(refusals),
    settle: refuseNothing,
    lastChange: (user) => (user.chance(0.5) ? writeConfig(user) : annotateAtRest(user)),
    check: checkT4,
    waits: (target, cluster) => keptBy(cluster, target) !== undefined,
    evidence: t4Evidence,
    finalized: t4Finalized,
  };
}
