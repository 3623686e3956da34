import { z } from 'zod';
import type { ObjectName } from '../../lib/core/kube-object.ts';
import { Namespaces, type ResourceType } from '../../lib/core/resource-type.ts';
import { requeueTarget } from '../inspection/requeue-target.ts';
import { stageDeadLetters } from '../inspection/stage-dead-letters.ts';
import type { TargetName } from '../inspection/target-name.ts';
import { UsageError } from '../usage-error.ts';
import type { ActionNote, ConsoleSource } from './console-source.ts';
import { targetNamed } from './target-named.ts';

const objectBody = z.object({ kind: z.string(), namespace: z.string(), name: z.string() });
const queueBody = z.object({ queue: z.string() });

/** The actions of the console. Each one is recorded with the user's name, and resolves with a sentence for the user. */
export const ACTIONS: Readonly<Record<string, (source: ConsoleSource, body: unknown) => Promise<string>>> = {
  requeue: async (source, body) => {
    const name = targetNamed(source.inspection, parsed(objectBody, body));
    const uids = await requeueTarget(source.inspection, name);
    const what = `${source.inspection.by} requested a pass`;
    const recorded = await record(source, name.type, name, { reason: 'PassRequested', action: 'Requeue', note: what });
    return `A pass of ${named(name)} was requested${uids.length > 1 ? `, of each of its ${uids.length} UIDs` : ''}.${recorded}`;
  },
  pause: async (source) => await setPaused(source, true),
  resume: async (source) => await setPaused(source, false),
  redrive: async (source, body) => {
    const { queue: wanted } = parsed(queueBody, body);
    const queue = (await stageDeadLetters(source.operated)).find(({ name }) => name === wanted);
    if (queue === undefined) throw new UsageError('there is no such dead-letter queue.');
    let sent = 0;
    await source.operated.deadLetters.redrive(queue, () => {
      sent += 1;
    });
    const messages = sent === 1 ? '1 message' : `${sent} messages`;
    const note = `${source.inspection.by} sent ${messages} of ${queue.name} again`;
    const recorded = await recordOnCluster(source, { reason: 'DeadLettersSent', action: 'Redrive', note });
    return `${messages} of ${queue.name} were sent to their queue again.${recorded}`;
  },
};

async function setPaused(source: ConsoleSource, paused: boolean): Promise<string> {
  const { store, cluster, by, clock } = source.inspection;
  await store.setPaused(cluster, paused, { by, atMs: clock.now() });
  const note = `${by} ${paused ? 'paused' : 'resumed'} reconciliation of the cluster`;
  const [reason, action] = paused ? ['ClusterPaused', 'Pause'] : ['ClusterResumed', 'Resume'];
  const recorded = await recordOnCluster(source, { reason: reason as string, action: action as string, note });
  if (paused) return `Cluster ${cluster} is paused: within seconds no more passes begin.${recorded}`;
  return `Cluster ${cluster} is resumed: passes that were put off run within two minutes.${recorded}`;
}

/** An Event needs an object, so an Event about the cluster is attached to kube-system. */
async function recordOnCluster(source: ConsoleSource, note: ActionNote): Promise<string> {
  return await record(source, Namespaces, { namespace: '', name: 'kube-system' }, note);
}

/** @returns '', or a sentence to add when the cluster refuses the Event. The action itself is done in both cases. */
async function record(source: ConsoleSource, type: ResourceType, name: ObjectName, note: ActionNote): Promise<string> {
  if (source.recordAction === undefined) return '';
  try {
    await source.recordAction(type, name, note);
    return '';
  } catch {
    return ' The cluster did not take the Kubernetes Event about it.';
  }
}

function named({ type, namespace, name }: TargetName): string {
  return `${type.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** @throws UsageError with the names of the wrong fields, never with their values. */
function parsed<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new UsageError(`the request lacks what the action needs: ${fields || 'a JSON object'}.`);
}
