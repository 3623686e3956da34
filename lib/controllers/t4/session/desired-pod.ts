import { sha256Hex } from '../../../core/hash.ts';
import { jsonEqual } from '../../../core/json-merge.ts';
import type { DesiredObject, JsonObject, JsonValue, KubeObject } from '../../../core/kube-object.ts';
import { sessionChildName } from '../child-name.ts';
import type { ClusterHostSpec } from '../cluster-host/cluster-host.ts';
import { Pods, T4Sessions } from '../kinds.ts';
import { ownerReference } from '../ownership.ts';
import type { OmpReferences } from '../settings.ts';
import { listAt, textAt } from '../value-at.ts';
import { SESSION_PORT, SESSION_PORT_NAME } from './desired-service.ts';
import type { SessionSpec } from './session.ts';
import { sessionLabels } from './session-labels.ts';

export const POD_SPEC_HASH_ANNOTATION = 'cluster.t4.dev/pod-spec-hash';

const CONTAINER = 'runtime';
const USER_ID = 10_001;
const GRACE_SECONDS = 45;

/** Everything that a session's Pod is made from: what all checks accepted. */
export interface PodInputs {
  readonly session: KubeObject;
  readonly spec: SessionSpec;
  readonly image: string;
  readonly host: ClusterHostSpec;
  readonly claim: KubeObject;
  readonly references: OmpReferences;
  readonly configMap: KubeObject;
  readonly secret: KubeObject;
}

export function desiredPod(inputs: PodInputs): DesiredObject {
  const { session } = inputs;
  const spec = podSpec(inputs);
  return {
    apiVersion: 'v1',
    kind: Pods.kind,
    metadata: {
      namespace: session.metadata.namespace ?? '',
      name: sessionChildName(session.metadata),
      labels: sessionLabels(session),
      annotations: { [POD_SPEC_HASH_ANNOTATION]: specHash(spec, inputs) },
      ownerReferences: [ownerReference(T4Sessions, session)],
    },
    spec,
  };
}

/** Whether the Pod was made from other inputs than these: it is replaced then, since a Pod cannot be changed. */
export function isOutdated(pod: KubeObject, desired: DesiredObject): boolean {
  const hashOf = ({ metadata }: Pick<DesiredObject, 'metadata'>) => metadata.annotations?.[POD_SPEC_HASH_ANNOTATION];
  return hashOf(pod) !== hashOf(desired);
}

/** What can be changed of a running Pod and is ours: labels, and the image of our container. Injected containers stay. */
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
    metadata: { labels: { ...desired.metadata.labels, ...managedBy } },
    ...(!jsonEqual(repaired, containers) && { spec: { containers: repaired } }),
  };
}

/** Over the spec, and over which versions of the OMP objects and which claim the Pod mounts by name. */
function specHash(spec: JsonObject, { configMap, secret, claim }: PodInputs): string {
  const versionOf = ({ metadata }: KubeObject) => [metadata.uid, metadata.resourceVersion];
  return sha256Hex(JSON.stringify([spec, versionOf(configMap), versionOf(secret), claim.metadata.uid]));
}

/** Quantities in the form that the API server writes them. */
function podSpec({ session, spec, image, host, claim, references, configMap, secret }: PodInputs): JsonObject {
  const prompt = spec.initialPromptSecretRef;
  const mounts: Mount[] = [
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
    containers: [
      {
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
      },
    ],
    volumes: mounts.map(({ name, source }) => ({ name, ...source })),
  };
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
