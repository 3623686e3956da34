import { jsonEqual } from '../../../core/json-merge.ts';
import type { DesiredObject, JsonObject, JsonValue, KubeObject } from '../../../core/kube-object.ts';
import { ownerReference } from '../../../kit/owner-references.ts';
import { listAt, textAt, valueAt } from '../../../kit/value-at.ts';
import { digestOf } from '../admission/admitted-fields.ts';
import type { MadeObject } from '../admission/made-object.ts';
import { sessionChildName } from '../child-name.ts';
import type { ClusterHostSpec } from '../cluster-host/cluster-host.ts';
import { Pods, T4Sessions } from '../kinds.ts';
import type { OmpReferences } from '../settings.ts';
import { SESSION_PORT, SESSION_PORT_NAME } from './desired-service.ts';
import { hashContent, showsOtherContent } from './pod-content.ts';
import type { SessionSpec } from './session.ts';
import { sessionLabels } from './session-labels.ts';

const POD_SPEC_HASH_ANNOTATION = 'cluster.t4.dev/pod-spec-hash';

const HASH_PATH = ['f:metadata', 'f:annotations', `f:${POD_SPEC_HASH_ANNOTATION}`];
const CONTAINER = 'runtime';
const OWN_VARIABLES = 'T4_';
const USER_ID = 10_001;
const GRACE_SECONDS = 45;

/** Everything from which a session's Pod is created. All checks accepted it. */
export interface PodInputs {
  readonly session: KubeObject;
  readonly spec: SessionSpec;
  readonly image: string;
  /** The key of the deployment for comparing content. */
  readonly digestKey: string | Uint8Array;
  readonly host: ClusterHostSpec;
  readonly claim: KubeObject;
  readonly references: OmpReferences;
  readonly configMap: KubeObject;
  readonly secret: KubeObject;
}

export function desiredPod(inputs: PodInputs): DesiredObject {
  const { session, digestKey } = inputs;
  const spec = podSpec(inputs);
  const hash = hashContent(digestKey, { ...inputs, spec });
  return {
    apiVersion: 'v1',
    kind: Pods.kind,
    metadata: {
      namespace: session.metadata.namespace ?? '',
      name: sessionChildName(session.metadata),
      labels: sessionLabels(session),
      annotations: { [POD_SPEC_HASH_ANNOTATION]: hash },
      ownerReferences: [ownerReference(T4Sessions, session)],
    },
    spec,
  };
}

/**
 * Whether the Pod was created from other content than this. Then it is replaced, because a Pod cannot be changed. A hash that
 * another release wrote shows nothing. Then the Pod itself decides, so that an upgrade replaces no Pod.
 * @param made has the hash that was sent, if admission did not let it through.
 */
export function isMadeFromOther(
  pod: KubeObject,
  desired: DesiredObject,
  claim: KubeObject,
  made: Pick<MadeObject, 'sentBeforeAdmission'>,
): boolean {
  const sent = made.sentBeforeAdmission(pod, HASH_PATH);
  if (sent !== undefined) return sent !== digestOf(hashOf(desired));
  const shown = showsOtherContent(hashOf(pod), hashOf(desired) ?? '');
  return shown === 'unknown' ? isMadeOtherwise(pod, desired, claim) : shown === 'differs';
}

function hashOf({ metadata }: Pick<DesiredObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[POD_SPEC_HASH_ANNOTATION];
}

/**
 * Whether the Pod shows that it was created from other content: by our environment variables, by its mounts, or by a claim
 * that is younger than the Pod. Admission may have changed any other field.
 */
function isMadeOtherwise(pod: KubeObject, desired: DesiredObject, claim: KubeObject): boolean {
  const [has, wanted] = [ownEnvironment(pod), ownEnvironment(desired)];
  const volumes = listAt(pod.spec, 'volumes');
  const isMounted = (volume: unknown) => volumes.some((each) => covers(each, volume));
  const createdAt = ({ metadata }: KubeObject) => Date.parse(metadata.creationTimestamp ?? '');
  return (
    !jsonEqual(has, wanted) || !listAt(desired.spec, 'volumes').every(isMounted) || createdAt(claim) > createdAt(pod)
  );
}

function ownEnvironment(pod: KubeObject | DesiredObject): JsonObject {
  const container = listAt(pod.spec, 'containers').find((each) => textAt(each, 'name') === CONTAINER);
  const variables = listAt(container, 'env').map((each) => [textAt(each, 'name') ?? '', textAt(each, 'value') ?? '']);
  return Object.fromEntries(variables.filter(([name]) => name?.startsWith(OWN_VARIABLES)));
}

/** Whether the Pod has every wanted part, next to the parts that the API server added. */
function covers(has: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(has) && has.length === wanted.length && wanted.every((each, at) => covers(has[at], each));
  }
  if (typeof wanted !== 'object' || wanted === null) return has === wanted;
  return Object.entries(wanted).every(([field, value]) => covers(valueAt(has, field), value));
}

/**
 * The fields of a running Pod that can be changed and are ours: labels, the hash, and the image of our container. Injected
 * containers stay.
 */
export function podRepair(
  pod: KubeObject,
  desired: DesiredObject,
  managedBy: Readonly<Record<string, string>>,
): JsonObject {
  const image = textAt(listAt(desired.spec, 'containers')[0], 'image') ?? '';
  const containers = listAt(pod.spec, 'containers') as JsonValue[];
  const repaired = containers.map((container) =>
    textAt(container, 'name') === CONTAINER ? { ...(container as JsonObject), image } : container,
  );
  return {
    metadata: {
      labels: { ...desired.metadata.labels, ...managedBy },
      annotations: { ...desired.metadata.annotations },
    },
    ...(!jsonEqual(repaired, containers) && { spec: { containers: repaired } }),
  };
}

function podSpec(inputs: PodInputs): JsonObject {
  const mounts = mountsOf(inputs);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER_ID,
      runAsGroup: USER_ID,
      fsGroup: USER_ID,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [runtimeContainer(inputs, mounts)],
    volumes: mounts.map(({ name, source }) => ({ name, ...source })),
  };
}

/** Quantities in the form that the API server writes them. */
function runtimeContainer({ session, spec, image, host }: PodInputs, mounts: readonly Mount[]): JsonObject {
  return {
    name: CONTAINER,
    image,
    ports: [{ name: SESSION_PORT_NAME, containerPort: SESSION_PORT, protocol: 'TCP' }],
    env: environment(session, spec, host),
    readinessProbe: { tcpSocket: { port: SESSION_PORT_NAME } },
    resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4', memory: '8Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: mounts.map(({ name, path, readOnly }) => ({
      name,
      mountPath: path,
      ...(readOnly === true && { readOnly }),
    })),
  };
}

function mountsOf({ spec, claim, references, configMap, secret }: PodInputs): Mount[] {
  const prompt = spec.initialPromptSecretRef;
  return [
    { name: 'workspace', path: '/workspace', source: { persistentVolumeClaim: { claimName: claim.metadata.name } } },
    {
      name: 'omp-config',
      path: '/etc/omp',
      readOnly: true,
      source: {
        configMap: {
          name: configMap.metadata.name,
          items: [references.configMap.modelsKey, references.configMap.settingsKey].map(itemOf),
        },
      },
    },
    {
      name: 'omp-credentials',
      path: '/var/run/secrets/omp',
      readOnly: true,
      source: { secret: { secretName: secret.metadata.name, items: references.secret.keys.map(itemOf) } },
    },
    ...(prompt === undefined
      ? []
      : [
          {
            name: 'initial-prompt',
            path: '/var/run/secrets/initial-prompt',
            readOnly: true,
            source: { secret: { secretName: prompt.name } },
          },
        ]),
    // The root file system is read-only.
    { name: 'scratch', path: '/tmp', source: { emptyDir: {} } },
  ];
}

interface Mount {
  readonly name: string;
  readonly path: string;
  readonly readOnly?: boolean;
  readonly source: JsonObject;
}

function itemOf(key: string): JsonObject {
  return { key, path: key };
}

function environment({ metadata }: KubeObject, spec: SessionSpec, host: ClusterHostSpec): JsonObject[] {
  const variables: Record<string, string | undefined> = {
    T4_SESSION: metadata.name,
    T4_RUNTIME_PROFILE: spec.runtimeProfile,
    T4_GUI_ENABLED: String(spec.guiEnabled),
    T4_ALLOWED_ORIGINS: host.allowedOrigins && [...host.allowedOrigins].sort().join(','),
    T4_CI_REPOSITORY_ID: spec.ci?.repositoryId,
    T4_CI_REF: spec.ci?.ref,
    T4_CI_COMMIT: spec.ci?.commit,
  };
  return Object.entries(variables).flatMap(([name, value]) =>
    // A dollar sign would start a reference to another variable.
    value === undefined ? [] : [{ name, value: value.replaceAll('$', '$$$$') }],
  );
}
