import { isObject, type JsonObject, type JsonValue, objectAt, objectsAt, stringAt } from '../../json.ts';
import { canonicalizeResources } from './quantity.ts';

/** Sets a member if the client left it out. */
export function setDefault(object: JsonObject, member: string, value: JsonValue): void {
  if (object[member] === undefined || object[member] === null) object[member] = value;
}

/** The defaults of a pod specification, of a pod and of a template (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). */
export function defaultPodSpec(spec: JsonObject): void {
  const account = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount');
  if (account !== '') {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'securityContext', {});
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'schedulerName', 'default-scheduler');
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
  for (const container of containersOf(spec)) defaultContainer(container);
}

/** All containers of a pod specification, init containers first. */
export function containersOf(spec: JsonObject | undefined): readonly JsonObject[] {
  return [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')];
}

function defaultVolume(volume: JsonObject): void {
  const sources = Object.keys(volume).filter((member) => member !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const own = objectAt(volume, source);
    if (own !== undefined) setDefault(own, 'defaultMode', 420);
  }
  for (const source of objectsAt(objectAt(volume, 'projected'), 'sources')) {
    const token = objectAt(source, 'serviceAccountToken');
    if (token !== undefined) setDefault(token, 'expirationSeconds', 3600);
  }
  const hostPath = objectAt(volume, 'hostPath');
  if (hostPath !== undefined) setDefault(hostPath, 'type', '');
}

function defaultContainer(container: JsonObject): void {
  setDefault(container, 'imagePullPolicy', isLatest(stringAt(container, 'image')) ? 'Always' : 'IfNotPresent');
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  setDefault(container, 'resources', {});
  const resources = objectAt(container, 'resources');
  canonicalizeResources(objectAt(resources, 'limits'));
  canonicalizeResources(objectAt(resources, 'requests'));
  for (const port of objectsAt(container, 'ports')) setDefault(port, 'protocol', 'TCP');
  for (const variable of objectsAt(container, 'env')) {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'fieldRef');
    if (reference !== undefined) setDefault(reference, 'apiVersion', 'v1');
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectAt(container, name);
    if (probe !== undefined) defaultProbe(probe);
  }
}

function defaultProbe(probe: JsonObject): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  const get = objectAt(probe, 'httpGet');
  if (isObject(get)) {
    setDefault(get, 'path', '/');
    setDefault(get, 'scheme', 'HTTP');
  }
  const grpc = objectAt(probe, 'grpc');
  if (isObject(grpc)) setDefault(grpc, 'service', '');
}

/** An image without a tag and a digest means the tag `latest`. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

/** The defaults that only a pod has and a template does not: requests get the values of limits. */
export function defaultPod(spec: JsonObject): void {
  setDefault(spec, 'enableServiceLinks', true);
  for (const container of containersOf(spec)) {
    const resources = objectAt(container, 'resources');
    const limits = objectAt(resources, 'limits');
    if (resources !== undefined && limits !== undefined) {
      resources.requests = { ...limits, ...objectAt(resources, 'requests') };
    }
  }
}
