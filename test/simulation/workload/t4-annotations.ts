import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import type { KubeObject, ObjectName } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault } from '../../../lib/testing/simulation/workload.ts';

const NAMESPACE = 'default';
const CONFIG_MAP: ObjectName = { namespace: NAMESPACE, name: 'omp-config' };
const SECRET: ObjectName = { namespace: NAMESPACE, name: 'omp-credentials' };
/** An annotation on the OMP Secret: the Pods at the time of the annotation, and everything that they were made from. */
const BEFORE_ANNOTATION = 'sim.example/before';

type Look = (type: ResourceType) => readonly KubeObject[];

/** Annotates an object that sessions read or own, and changes nothing else. */
export async function annotate(user: User): Promise<void> {
  const type = user.pick([ConfigMaps, Secrets, Pods, Services, PersistentVolumeClaims]);
  const found = await user.list(type, NAMESPACE);
  const object = found[user.number(found.length)];
  if (object === undefined) return;
  const annotations = { 'sim.example/note': `${user.number(99)}` };
  await user.edit(type, { namespace: NAMESPACE, name: object.metadata.name }, { metadata: { annotations } });
}

/** Annotates objects that sessions read while all is at rest: no Pod may be replaced because of that. */
export async function annotateAtRest(user: User): Promise<void> {
  const kinds = [T4ClusterHosts, T4Workspaces, T4Sessions, ConfigMaps, Secrets, Pods];
  const objects = new Map<ResourceType, readonly KubeObject[]>();
  for (const type of kinds) objects.set(type, await user.list(type, NAMESPACE));
  objects.set(StorageClasses, await user.list(StorageClasses));
  const look: Look = (type) => objects.get(type) ?? [];
  const before = { pods: podsOf(look), inputs: inputsOf(look) };
  await user.edit(ConfigMaps, CONFIG_MAP, { metadata: { annotations: { 'sim.example/note': 'at rest' } } });
  await user.edit(Secrets, SECRET, { metadata: { annotations: { [BEFORE_ANNOTATION]: JSON.stringify(before) } } });
}

/** Pods that are gone although only an annotation changed. */
export function replacedForNothing(cluster: ClusterView): Fault[] {
  const noted = cluster.get(Secrets, SECRET)?.metadata.annotations?.[BEFORE_ANNOTATION];
  if (noted === undefined) return [];
  const look: Look = (type) => cluster.list(type, type.namespaced ? NAMESPACE : '');
  const before = JSON.parse(noted) as { pods: string[]; inputs: string };
  if (before.inputs !== inputsOf(look)) return [];
  const now = podsOf(look);
  return before.pods
    .filter((uid) => !now.includes(uid))
    .map((uid) => `Pod ${uid} was replaced, and nothing but an annotation had changed`);
}

function podsOf(look: Look): string[] {
  return look(Pods).map(({ metadata }) => metadata.uid);
}

/** Everything that decides which Pods exist, except annotations and versions. */
function inputsOf(look: Look): string {
  const targets = [T4ClusterHosts, T4Workspaces, T4Sessions].flatMap((type) =>
    look(type).map(({ kind, metadata }) => [kind, metadata.uid, metadata.generation, metadata.deletionTimestamp]),
  );
  const data = [ConfigMaps, Secrets].flatMap((type) => look(type).map((object) => [object.metadata.name, object.data]));
  const classes = look(StorageClasses).map(({ metadata }) => [metadata.uid, metadata.annotations]);
  return JSON.stringify([...targets, ...data, ...classes].map((each) => JSON.stringify(each)).sort());
}
