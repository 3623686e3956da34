import type { AdmissionRequest, AdmissionReview } from '../../../lib/apiserver/state/admission.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView } from '../../../lib/testing/simulation/workload.ts';
import { IMAGE } from '../../controllers/t4/objects.ts';
import { ADMISSION, type RefusalCounts, refusalOnCreation } from './refusals.ts';

const MIRROR = `mirror.example/${IMAGE}`;

interface Rules {
  /** The operations at which the image of a Pod is rewritten, with commas between. */
  readonly rewrites?: string;
}

const CREATED: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);

/** Rewrites the image of Pods and injects a container, or refuses what is created, as the cluster says. */
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
  // What is no Pod at all is for validation to refuse.
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
 * Whether the image of a session's Pod is what was asked for, or what admission makes of it. Which of the two is right the cluster
 * does not show: where the answer to the creation was lost, nothing says what admission did, and our image comes back.
 */
export function isRightImage(pod: KubeObject): boolean {
  const { containers } = pod.spec as { containers: { name: string; image: string }[] };
  return [IMAGE, MIRROR].includes(containers.find(({ name }) => name === 'runtime')?.image ?? '');
}

/**
 * What admission rewrites from the start. Of sessions that are made under rules that stand, passes come again and again:
 * only then does it show whether they put back what admission did.
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
