import { kindId } from '../../lib/core/resource-type.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import { groupHolder } from '../inspection/group-holder.ts';
import { stageDeadLetters } from '../inspection/stage-dead-letters.ts';
import { letterSubject } from '../letter-line.ts';
import type { ClusterView, DeadLetterView } from './api-types.ts';
import { type ConsoleSource, frameOf } from './console-source.ts';
import { clusterSummary } from './overview.ts';

/** The view of the cluster: the deployments that drive it, and its watches. */
export async function viewCluster(source: ConsoleSource): Promise<ClusterView> {
  const { inspection } = source;
  const { store, cluster, kinds, registry } = inspection;
  const [state, groups, watches] = await Promise.all([
    store.readCluster(cluster),
    Promise.all(
      registry.groups().map(async (group) => {
        const drivenBy = await groupHolder(inspection, group);
        return { group, ...(drivenBy !== undefined && { drivenBy }) };
      }),
    ),
    Promise.all(
      kinds.map(async ({ type }) => {
        const checkpoint = await store.readCheckpoint(cluster, kindId(type));
        return {
          kind: type.kind,
          kindId: kindId(type),
          ...(checkpoint !== undefined && {
            version: checkpoint.resourceVersion,
            heardAt: rfc3339(checkpoint.heartbeatMs),
          }),
        };
      }),
    ),
  ]);
  return { ...frameOf(source), clusterState: clusterSummary(state, inspection), groups, watches };
}

/** The limit of shown messages for each queue. */
const MAX_LETTERS = 100;

export async function viewDeadLetters(source: ConsoleSource): Promise<DeadLetterView> {
  const { deadLetters } = source.operated;
  const queues = await stageDeadLetters(source.operated);
  return {
    ...frameOf(source),
    queues: await Promise.all(
      queues.map(async (queue) => ({
        name: queue.name,
        count: queue.count,
        letters: (queue.count === 0 ? [] : await deadLetters.peek(queue)).slice(0, MAX_LETTERS).map((letter) => ({
          messageId: letter.messageId,
          sentAt: rfc3339(letter.sentAtMs),
          reason: letter.reason ?? 'received too often',
          subject: letterSubject(letter.body) ?? `message ${letter.messageId}`,
        })),
      })),
    ),
  };
}
