import type { DesiredObject, JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { ownerReference } from '../../../kit/owner-references.ts';
import { listAt, textAt, valueAt } from '../../../kit/value-at.ts';
import { sessionChildName } from '../child-name.ts';
import { Services, T4Sessions } from '../kinds.ts';
import { sessionLabels, sessionSelector } from './session-labels.ts';

export const SESSION_PORT = 8787;
export const SESSION_PORT_NAME = 'host';

const PORTS = [{ name: SESSION_PORT_NAME, port: SESSION_PORT, protocol: 'TCP', targetPort: SESSION_PORT_NAME }];

export function desiredService(session: KubeObject): DesiredObject {
  const { namespace = '' } = session.metadata;
  return {
    apiVersion: 'v1',
    kind: Services.kind,
    metadata: {
      namespace,
      name: sessionChildName(session.metadata),
      labels: sessionLabels(session),
      ownerReferences: [ownerReference(T4Sessions, session)],
    },
    spec: { type: 'ClusterIP', selector: sessionSelector(session), ports: PORTS.map((port) => ({ ...port })) },
  };
}

/**
 * Whether the Service lets traffic in from outside the cluster, or leads out of it. Such a Service is deleted and created
 * again.
 */
export function isExposed(service: KubeObject): boolean {
  const { type, externalIPs } = exposureOf(service);
  return type !== 'ClusterIP' || externalIPs.length > 0;
}

export function exposureOf({ spec }: KubeObject): { type: string; externalIPs: readonly unknown[] } {
  return { type: textAt(spec, 'type') ?? 'ClusterIP', externalIPs: listAt(spec, 'externalIPs') };
}

/**
 * The patch that restores labels, selector and ports. It removes keys that others added to the selector, and keeps other
 * labels.
 * @param options.closes whether it also removes an exposure.
 */
export function serviceRepair(
  service: KubeObject,
  session: KubeObject,
  managedBy: Readonly<Record<string, string>>,
  { closes }: { readonly closes: boolean } = { closes: false },
): JsonObject {
  const selector = valueAt(service.spec, 'selector');
  const selectorKeys = typeof selector === 'object' && selector !== null ? Object.keys(selector) : [];
  return {
    metadata: { labels: { ...sessionLabels(session), ...managedBy } },
    spec: {
      selector: { ...Object.fromEntries(selectorKeys.map((key) => [key, null])), ...sessionSelector(session) },
      ports: PORTS.map((port) => ({ ...port })),
      ...(closes && isExposed(service) && { type: 'ClusterIP', externalIPs: null }),
    },
  };
}
