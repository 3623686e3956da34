import type { AdmissionRequest, AdmissionReview } from '../../../lib/apiserver/state/admission.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView } from '../../../lib/testing/simulation/workload.ts';
import { IMAGE } from '../../controllers/t4/objects.ts';
import { ADMISSION, type RefusalCounts, refusalOnCreation } from './refusals.ts';

const MIRROR = `mirror.example/${IMAGE}`;

interface Rules {
  /** The operations in which the image of a Pod is rewritten, separated by commas. */
  readonly rewrites?: string;
}

const CREATED: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);

/** Rewrites the image of Pods and injects a container, or refuses creates, as the cluster says. */
export function t4Admission(
  request: AdmissionRequest,
  cluster: Pick<ClusterView, 'get'>,
  counts: RefusalCounts,
): AdmissionReview {
  const { operation, resource, object } = request;
  const { rewrites = '' } = (cluster.get(ConfigMaps, ADMISSION)?.data ?? {}) as Rules;
  const refused = refusalOnCreation(request, cluster, counts, () => CREATED.has(resource));
  if (refused !== undefined) return { refused };
  if (resource !== 'pods' || !rewrites.split(',').includes(operation)) return { object };
  // Validation refuses an object that is not a Pod.
  if (!Array.isArray((object.spec as { containers?: unknown } | undefined)?.containers)) return { object };
  return { object: rewritten(structuredClone(object) as JsonObject, operation) as typeof object };
}

function rewritten(pod: JsonObject, operation: AdmissionRequest['operation']): JsonObject {
  const { spec } = pod as { spec: { containers: JsonObject[] } };
  for (const container of spec.containers) if (container.name === 'runtime') container.image = MIRROR;
  if (operation === 'UPDATE') return pod;
  spec.containers.push({ name: 'sidecar', image: 'sidecar:1' });
  return pod;
}

/**
 * Whether the image of a session's Pod is the wanted one, or the one that admission sets. The cluster does not show
 * which of the two is right: when the answer to the create was lost, the change of admission is unknown, and our image
 * is restored.
 */
export function isRightImage(pod: KubeObject): boolean {
  const { containers } = pod.spec as { containers: { name: string; image: string }[] };
  return [IMAGE, MIRROR].includes(containers.find(({ name }) => name === 'runtime')?.image ?? '');
}

/**
 * What admission rewrites from the start. Only sessions that are created under rules that stay get passes again and
 * again, which show whether they undo the changes of admission.
 */
export async function beginAdmission(user: User): Promise<void> {
  const rewrites = user.pick(['', '', '', 'CREATE', 'CREATE,UPDATE']);
  if (rewrites !== '') await user.put(ConfigMaps, { metadata: ADMISSION, data: { rewrites } });
}

/** Changes what admission rewrites from now on. */
export function changeAdmission(user: User): Promise<void> {
  const rewrites = user.pick(['', 'CREATE', 'CREATE', 'CREATE,UPDATE']);
  return user.put(ConfigMaps, { metadata: ADMISSION, data: { rewrites } });
}
