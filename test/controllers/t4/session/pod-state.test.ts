import { describe, expect, it } from 'vitest';
import { slowAtMs, whyNotReady } from '../../../../lib/controllers/t4/session/pod-state.ts';
import type { JsonObject, KubeObject } from '../../../../lib/core/kube-object.ts';

const STARTED_MS = Date.UTC(2026, 0, 1);
const LATER_MS = STARTED_MS + 3_600_000;

const REFERENCES = {
  containers: [
    {
      name: 'runtime',
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'proxy-token', key: 'token' } } },
        { name: 'C', valueFrom: { configMapKeyRef: { name: 'proxy.settings', key: 'mode' } } },
      ],
    },
  ],
  initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'init-token' } }] }],
};

function pod(status: JsonObject, spec: JsonObject = REFERENCES): KubeObject {
  const metadata = { namespace: 'a', name: 'p', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, status };
}

const misconfigured = (message: string) =>
  pod({
    containerStatuses: [{ name: 'runtime', state: { waiting: { reason: 'CreateContainerConfigError', message } } }],
  });

const withoutSandbox = (status: string, lastTransitionTime: string) =>
  pod({
    containerStatuses: [{ name: 'runtime', state: { waiting: { reason: 'ContainerCreating' } } }],
    conditions: [{ type: 'PodReadyToStartContainers', status, lastTransitionTime, message: 'LEAKED' }],
  });

describe('a container that the kubelet cannot configure', () => {
  it.each([
    ['secret "proxy-token" not found', 'the Secret proxy-token'],
    ['secrets "init-token" not found', 'the Secret init-token'],
    ['configmap "proxy.settings" not found', 'the ConfigMap proxy.settings'],
    ["couldn't find key token in Secret a/proxy-token", 'the Secret proxy-token'],
    ["couldn't find key mode in ConfigMap a/proxy.settings", 'the ConfigMap proxy.settings'],
  ])('R-4.11 session names the object that the Pod refers to when the kubelet says %j', (message, named) => {
    const why = whyNotReady(misconfigured(message), LATER_MS);
    expect(why.reason).toBe('PodConfigInvalid');
    expect(why.message).toContain(named);
  });

  it.each([
    'secret "leaked" not found',
    'configmap "proxy-token" not found',
    'secret "leaked" not found: secret "proxy-token" not found',
    "couldn't find key leaked in Secret b/proxy-token",
    'container has runAsNonRoot and image will run as leaked',
    '',
  ])('R-4.11 R-1.24 session names nothing when the kubelet says %j', (message) => {
    const why = whyNotReady(misconfigured(message), LATER_MS);
    expect(why.reason).toBe('PodConfigInvalid');
    expect(why.message).not.toMatch(/leaked|proxy-token/);
  });
});

describe('a Pod that its node has not set up', () => {
  it.each([
    ['a minute passed', 'False', STARTED_MS + 60_000, 'PodSandboxNotReady'],
    ['an hour passed', 'False', LATER_MS, 'PodSandboxNotReady'],
    ['less than a minute passed', 'False', STARTED_MS + 59_999, 'PodNotReady'],
    ['the node has set it up', 'True', LATER_MS, 'PodNotReady'],
  ])('R-4.11 session reports what the Pod waits for when %s', (_, status, nowMs, reason) => {
    const why = whyNotReady(withoutSandbox(status, new Date(STARTED_MS).toISOString()), nowMs);
    expect(why.reason).toBe(reason);
    expect(why.message).not.toContain('LEAKED');
    if (reason === 'PodSandboxNotReady') expect(why.message).toMatch(/volumes.*network/);
  });

  it.each([
    ['the node began a minute ago', 'False', new Date(STARTED_MS).toISOString(), STARTED_MS + 60_000],
    ['the node has set it up', 'True', new Date(STARTED_MS).toISOString(), undefined],
    ['its condition has no valid time', 'False', 'yesterday', undefined],
  ])(
    'R-4.11 slowAtMs returns the time of the next check only for a Pod that waits, as when %s',
    (_, status, time, atMs) => {
      expect(slowAtMs(withoutSandbox(status, time))).toBe(atMs);
    },
  );
});
