import { EvenkeelError } from '../../lib/core/errors.ts';
import { EVENT_VERSION, type SkinnyEvent } from '../../lib/core/event.ts';
import { kindId } from '../../lib/core/resource-type.ts';
import { isApiError } from '../../lib/ports/cluster-api.ts';
import type { Inspection } from './inspection.ts';
import { findTargets } from './read-targets.ts';
import type { TargetName } from './target-name.ts';

/**
 * Sends a request for a pass of the object. Every request has its own deduplication id, so none is dropped.
 * @returns the UIDs of the requested passes.
 * @throws EvenkeelError NO_SUCH_OBJECT when neither the table nor the cluster has the object.
 */
export async function requeueTarget(inspection: Inspection, name: TargetName): Promise<string[]> {
  const uids = await uidsOf(inspection, name);
  await requestPasses(inspection, name, uids);
  return uids;
}

/** The same for known UIDs. @param by who asks, for the history of the object. */
export async function requestPasses(
  inspection: Inspection,
  name: TargetName,
  uids: readonly string[],
  by = inspection.by,
): Promise<void> {
  const { store, cluster, clock } = inspection;
  const { incarnation } = await store.readCluster(cluster);
  const events = uids.map(
    (uid): SkinnyEvent => ({
      v: EVENT_VERSION,
      cluster,
      incarnation,
      kind: kindId(name.type),
      namespace: name.namespace,
      name: name.name,
      uid,
      cause: 'requested',
      by,
      at: clock.now(),
    }),
  );
  const sender = await inspection.sender();
  await sender.sendAll('events', events);
}

/** The table has deleted objects whose cleanup hangs. The cluster has objects whose events were lost. */
async function uidsOf(inspection: Inspection, name: TargetName): Promise<string[]> {
  const known = await findTargets(inspection.store, inspection.cluster, name);
  if (known.length > 0) return known.map(({ target }) => target.uid);
  const { api } = inspection;
  if (api !== undefined) {
    try {
      const { metadata } = await api.get(name.type, name, { metadataOnly: true });
      return [metadata.uid];
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  const where = api === undefined ? 'the table' : 'the table and the cluster';
  throw new EvenkeelError(
    'NO_SUCH_OBJECT',
    `there is no ${name.type.kind} ${name.namespace === '' ? '' : `${name.namespace}/`}${name.name} in ${where} of ${inspection.cluster}. evenkeel list shows all known objects.`,
  );
}
