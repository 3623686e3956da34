import type { KubeObject } from '../../../core/kube-object.ts';
import { ownerLabel, sessionChildName } from '../child-name.ts';

const SESSION_LABEL = 'cluster.t4.dev/session';
const SESSION_UID_LABEL = 'cluster.t4.dev/session-uid';

/** The labels of a session's Pod and Service. */
export function sessionLabels(session: KubeObject): Record<string, string> {
  const { metadata } = session;
  return { [SESSION_LABEL]: ownerLabel(metadata.name, sessionChildName(metadata)), ...sessionSelector(session) };
}

/** Selects by the UID, so that a session recreated under the same name never gets the traffic of the earlier one. */
export function sessionSelector({ metadata }: KubeObject): Record<string, string> {
  return { [SESSION_UID_LABEL]: metadata.uid };
}
