import { z } from 'zod';
import { kindId } from '../../lib/core/resource-type.ts';
import { requeueTarget } from '../inspection/requeue-target.ts';
import { stageDeadLetters } from '../inspection/stage-dead-letters.ts';
import { UsageError } from '../usage-error.ts';
import { bulkBody, startBulk } from './bulk-actions.ts';
import type { BulkRunner } from './bulk-runner.ts';
import type { ConsoleReads } from './console-reads.ts';
import type { ConsoleSource } from './console-source.ts';
import { actOn, checkReached, nameOf, type ObjectAction, recordOnCluster } from './object-actions.ts';
import { targetNamed } from './target-named.ts';

const objectBody = z.object({ kind: z.string(), namespace: z.string(), name: z.string() });
const queueBody = z.object({ queue: z.string() });

type Action = (reads: ConsoleReads, body: unknown, runner: BulkRunner) => Promise<string>;

/** The actions of the console. Each one is recorded with the user's name, and resolves with a sentence for the user. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  requeue: async (reads, body) => {
    const { name, uids, recorded } = await actOnNamed(reads, 'requeue', body);
    return `A pass of ${name} was requested${uids > 1 ? `, of each of its ${uids} UIDs` : ''}.${recorded}`;
  },
  'pause-object': async (reads, body) => {
    const { name, recorded } = await actOnNamed(reads, 'pause', body);
    return `${name} is paused.${recorded}`;
  },
  'resume-object': async (reads, body) => {
    const { name, recorded } = await actOnNamed(reads, 'resume', body);
    return `${name} is resumed.${recorded}`;
  },
  pause: async ({ source }) => await setPaused(source, true),
  resume: async ({ source }) => await setPaused(source, false),
  redrive: async ({ source, letters, queues }, body) => {
    const { queue: wanted } = parsed(queueBody, body);
    const queue = (await stageDeadLetters(source.operated)).find(({ name }) => name === wanted);
    if (queue === undefined) throw new UsageError('there is no such dead-letter queue.');
    let sent = 0;
    await source.operated.deadLetters.redrive(queue, () => {
      sent += 1;
    });
    letters.renew();
    queues.renew();
    const messages = sent === 1 ? '1 message' : `${sent} messages`;
    const note = `${source.inspection.by} sent ${messages} of ${queue.name} again`;
    const recorded = await recordOnCluster(source, { reason: 'DeadLettersSent', action: 'Redrive', note });
    return `${messages} of ${queue.name} were sent to their queue again.${recorded}`;
  },
  'bulk-start': async (reads, body, runner) => await startBulk(reads, runner, parsed(bulkBody, body)),
  'bulk-stop': async (_, __, runner) => (runner.stop() ? 'The action is stopped.' : 'No action is running.'),
};

async function actOnNamed(reads: ConsoleReads, action: ObjectAction, body: unknown) {
  const { source, inventory } = reads;
  const name = targetNamed(source.inspection, parsed(objectBody, body));
  checkReached(source, action);
  const { value } = await inventory.latest();
  const uids = value.named(kindId(name.type), name.namespace, name.name).map(({ uid }) => uid);
  // The cluster may have an object whose events were lost.
  if (uids.length === 0 && action === 'requeue') {
    const requested = await requeueTarget(source.inspection, name);
    return { name: nameOf(name), uids: requested.length, recorded: '' };
  }
  if (uids.length === 0) throw new UsageError(`no pass of ${nameOf(name)} is known.`);
  return { name: nameOf(name), uids: uids.length, recorded: await actOn(source, action, name, uids) };
}

async function setPaused(source: ConsoleSource, paused: boolean): Promise<string> {
  const { store, cluster, by, clock } = source.inspection;
  await store.setPaused(cluster, paused, { by, atMs: clock.now() });
  const note = `${by} ${paused ? 'paused' : 'resumed'} reconciliation of the cluster`;
  if (paused) {
    const recorded = await recordOnCluster(source, { reason: 'ClusterPaused', action: 'Pause', note });
    return `Cluster ${cluster} is paused: within seconds no more passes begin.${recorded}`;
  }
  const recorded = await recordOnCluster(source, { reason: 'ClusterResumed', action: 'Resume', note });
  return `Cluster ${cluster} is resumed: passes that were put off run within two minutes.${recorded}`;
}

/** @throws UsageError with the names of the wrong fields, never with their values. */
function parsed<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new UsageError(`the request lacks what the action needs: ${fields || 'a JSON object'}.`);
}
