import { PAUSED_ANNOTATION } from '../../lib/core/installation.ts';
import type { ObjectName } from '../../lib/core/kube-object.ts';
import { Namespaces, type ResourceType } from '../../lib/core/resource-type.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';
import { requestPasses } from '../inspection/requeue-target.ts';
import type { TargetName } from '../inspection/target-name.ts';
import { UsageError } from '../usage-error.ts';
import type { ActionNote, ConsoleSource } from './console-source.ts';

const FIELD_MANAGER = 'evenkeel-console';

/** What can be done to an object. */
export type ObjectAction = 'requeue' | 'pause' | 'resume';

/** Does it to one object. @returns '', or a sentence to add when the cluster refuses the Event. */
export async function actOn(
  source: ConsoleSource,
  action: ObjectAction,
  name: TargetName,
  uids: readonly string[],
): Promise<string> {
  const { by } = source.inspection;
  switch (action) {
    case 'requeue':
      await requestPasses(source.inspection, name, uids);
      return await record(source, name.type, name, note('PassRequested', 'Requeue', `${by} requested a pass`));
    case 'pause':
      await setPaused(source, name, uids, true);
      return await record(source, name.type, name, note('ObjectPaused', 'Pause', `${by} paused the object`));
    case 'resume':
      await setPaused(source, name, uids, false);
      return await record(source, name.type, name, note('ObjectResumed', 'Resume', `${by} resumed the object`));
  }
}

/** @throws UsageError when this process does not reach the cluster, which has the annotation that pauses an object. */
export function checkReached({ inspection: { api } }: ConsoleSource, action: ObjectAction): void {
  if (action === 'requeue' || api !== undefined) return;
  const change = action === 'pause' ? `${PAUSED_ANNOTATION}=true` : `${PAUSED_ANNOTATION}-`;
  throw new UsageError(
    `an object is paused by an annotation in the cluster, which this console does not reach. Use kubectl annotate with ${change}, or pause the whole cluster.`,
  );
}

/**
 * Sets or removes the annotation, and requests a pass, so that the history of the object shows who did it.
 * @throws ApiError NotFound when the name belongs to another object now.
 */
async function setPaused(
  { inspection }: ConsoleSource,
  name: TargetName,
  uids: readonly string[],
  paused: boolean,
): Promise<void> {
  const { api, by } = inspection;
  if (api === undefined) return;
  const { metadata } = await api.get(name.type, name, { metadataOnly: true });
  if (!uids.includes(metadata.uid))
    throw new ApiError('NotFound', `another ${name.type.kind} has this name now: nothing was changed.`);
  if ((metadata.annotations?.[PAUSED_ANNOTATION] === 'true') !== paused) {
    const { uid, resourceVersion } = metadata;
    const annotations = { [PAUSED_ANNOTATION]: paused ? 'true' : null };
    const patch = { metadata: { uid, resourceVersion, annotations } };
    await api.patch(name.type, name, { type: 'merge', patch }, { fieldManager: FIELD_MANAGER });
  }
  await requestPasses(inspection, name, [metadata.uid], `${by} (${paused ? 'pause' : 'resume'})`);
}

function note(reason: string, action: string, text: string): ActionNote {
  return { reason, action, note: text };
}

/** An Event needs an object, so an Event about the cluster is attached to kube-system. */
export async function recordOnCluster(source: ConsoleSource, note: ActionNote): Promise<string> {
  return await record(source, Namespaces, { namespace: '', name: 'kube-system' }, note);
}

/** The action itself is done in both cases. */
async function record(source: ConsoleSource, type: ResourceType, name: ObjectName, note: ActionNote): Promise<string> {
  if (source.recordAction === undefined) return '';
  try {
    await source.recordAction(type, name, note);
    return '';
  } catch {
    return ' The cluster did not take the Kubernetes Event about it.';
  }
}

export function nameOf({ type, namespace, name }: TargetName): string {
  return `${type.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
