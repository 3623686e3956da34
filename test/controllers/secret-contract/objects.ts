import type { KubeObject, ObjectMeta } from '../../../lib/core/kube-object.ts';

/** 2026-07-01T00:00:00Z: the time in tests that do not change it. */
export const NOW_MS = Date.UTC(2026, 6, 1);

export interface Overrides {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Record<string, unknown>;
  readonly status?: unknown;
}

/** A valid contract `app/db` for Secret `app/db` with key `password`. */
export function contractObject({ metadata, spec, status }: Overrides = {}): KubeObject {
  return {
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'SecretContract',
    metadata: { name: 'db', namespace: 'app', uid: 'contract-uid', resourceVersion: '100', generation: 1, ...metadata },
    spec: { secretRef: { name: 'db' }, keys: [{ name: 'password' }], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** Secret `app/db`, created on 2026-06-01. Values are texts or bytes. */
export function secretObject(
  values: Readonly<Record<string, string | Uint8Array>> = { password: 'hunter2' },
  metadata: Partial<ObjectMeta> = {},
): KubeObject {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value as string).toString('base64')]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'db',
      namespace: 'app',
      uid: 'secret-uid',
      resourceVersion: '7',
      creationTimestamp: '2026-06-01T00:00:00Z',
      ...metadata,
    },
    data,
  };
}

/** A grant in namespace `vault` that lets `app/db` read Secret `db`. */
export function grantObject(spec: Record<string, unknown> = {}, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'SecretContractGrant',
    metadata: { name: 'grant', namespace: 'vault', uid: 'grant-uid', resourceVersion: '3', ...metadata },
    spec: { from: [{ namespace: 'app' }], secretNames: ['db'], ...spec },
  };
}

export function externalSecretObject(ready: 'True' | 'False' | undefined, namespace = 'app'): KubeObject {
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'db', namespace, uid: 'external-uid', resourceVersion: '5' },
    ...(ready === undefined ? {} : { status: { conditions: [{ type: 'Ready', status: ready }] } }),
  };
}

/** Deployment `app/<name>` that permits mutation. */
export function deploymentObject(name = 'web', metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'app',
      uid: `${name}-uid`,
      resourceVersion: '11',
      labels: { 'evenkeel.dev/allow-mutation': 'true' },
      ...metadata,
    },
    spec: { replicas: 2, template: { metadata: { labels: { app: name } }, spec: {} } },
  };
}
