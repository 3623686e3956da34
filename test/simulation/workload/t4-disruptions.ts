import { sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import { Pods, T4Sessions } from '../../../lib/controllers/t4/kinds.ts';
import type { JsonObject, ObjectName } from '../../../lib/core/kube-object.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import { T4_NAMESPACE } from './t4-check.ts';

const named = (name: string): ObjectName => ({ namespace: T4_NAMESPACE, name });

/** The name of some session's Pod. */
async function podNamed(user: User): Promise<ObjectName | undefined> {
  const sessions = await user.list(T4Sessions, T4_NAMESPACE);
  const session = sessions[user.number(sessions.length)];
  return session && named(sessionChildName(session.metadata));
}

/** Changes the image of a session's Pod, as `kubectl set image` does. */
export async function editImage(user: User): Promise<void> {
  const name = await podNamed(user);
  const pod = name && (await user.get(Pods, name));
  if (name === undefined || pod === undefined) return;
  const { containers } = pod.spec as { containers: JsonObject[] };
  const edited = containers.map((each) => (each.name === 'runtime' ? { ...each, image: 'edited' } : each));
  await user.edit(Pods, name, { spec: { containers: edited } });
}

/** What the kubelet or the cluster writes into the status of a Pod that it ends, or whose node is gone. */
const DISRUPTIONS: readonly [JsonObject, ...JsonObject[]] = [
  { phase: 'Failed', reason: 'Evicted' },
  { phase: 'Failed', reason: 'OutOfcpu' },
  { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' }] },
  { phase: 'Unknown', reason: 'NodeLost' },
];

/** Ends the Pod of a session. */
export async function disrupt(user: User): Promise<void> {
  const name = await podNamed(user);
  if (name === undefined) return;
  const status = { conditions: [{ type: 'Ready', status: 'False' }], ...user.pick(DISRUPTIONS) };
  await user.editStatus(Pods, name, status);
}

/** Removes a node, and each Pod on it. */
export async function takeNode(user: User): Promise<void> {
  for (const { metadata } of await user.list(Pods, T4_NAMESPACE)) {
    if (user.chance(0.5)) continue;
    if (user.chance(0.5)) await user.remove(Pods, named(metadata.name));
    else await user.editStatus(Pods, named(metadata.name), { ...DISRUPTIONS[2] });
  }
}
