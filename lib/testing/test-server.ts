import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiServer } from '../apiserver/api-server.ts';
import type { Clock, Entropy } from '../ports/clock.ts';

/** Larger than every resourceVersion of a real cluster, and far smaller than the largest exact number. */
export const PART_REVISION = 2 ** 50;

/**
 * An embedded API server with counted UIDs, on a clock that a test moves.
 * @param isPart whether it starts empty, for objects of another cluster.
 */
export function newTestServer(clock: Clock, entropy: Entropy, isPart = false): ApiServer {
  let uids = 0;
  return new ApiServer({
    clock: () => clock.now(),
    newUid: () => {
      uids += 1;
      return `00000000-0000-4000-8000-${String(uids).padStart(12, '0')}`;
    },
    random: () => entropy.random(),
    ...(isPart && { partOfCluster: { afterRevision: PART_REVISION } }),
    timers: {
      after: (delayMs, task) => {
        const timer = new AbortController();
        clock.sleep(delayMs, timer.signal).then(task, () => {});
        return () => timer.abort();
      },
    },
  });
}

/** Installs the CRDs and waits until they are served. */
export async function installDefinitions(server: ApiServer, definitions: readonly object[]): Promise<void> {
  for (const definition of definitions) {
    const response = await server.send({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: { 'content-type': 'application/json', 'user-agent': 'test' },
      body: JSON.stringify(definition),
    });
    // It is no error to install a definition twice. But a definition that the server refuses would only show as a
    // missing kind.
    if (response.status === 400 || response.status === 422) {
      throw new Error(`the API server refuses a definition: ${refusalOf(await response.text())}`);
    }
  }
  await nextTurn();
}

function refusalOf(body: string): string {
  const { message } = JSON.parse(body) as { message?: string };
  return message ?? body;
}
