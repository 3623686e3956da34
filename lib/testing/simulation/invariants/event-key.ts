import type { SkinnyEvent } from '../../../core/event.ts';

/** The same text for the same event, however its fields are ordered. */
export function eventKey(event: SkinnyEvent): string {
  const { cause, cluster, kind, namespace, name, uid, incarnation, resourceVersion, at, dueAt, epoch, tick, group } =
    event;
  const { changed, round, bulk, place } = event;
  const about =
    changed === undefined
      ? []
      : [
          changed.kind,
          changed.namespace,
          changed.name,
          changed.uid,
          changed.resourceVersion,
          changed.deleted,
          changed.absentAt,
        ];
  return [
    cause,
    cluster,
    kind,
    namespace,
    name,
    uid,
    incarnation,
    resourceVersion,
    at,
    dueAt,
    epoch,
    tick,
    group,
    round,
    bulk,
    place,
    ...about,
  ].join();
}

/** Of a message's body; what is no event stands for itself. */
export function messageKey(body: string): string {
  try {
    const parsed = JSON.parse(body) as SkinnyEvent | null;
    return parsed?.cause === undefined ? body : eventKey(parsed);
  } catch {
    return body;
  }
}
