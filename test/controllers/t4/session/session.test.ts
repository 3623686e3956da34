import { beforeEach, describe, expect, it } from 'vitest';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../../lib/controllers/t4/kinds.ts';
import type { JsonObject } from '../../../../lib/core/kube-object.ts';
import { Secrets } from '../../../../lib/core/resource-type.ts';
import { withCalls } from '../interposed-api.ts';
import { hostSpec, IMAGE, SECRET_VALUES } from '../objects.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

describe('what a session has', () => {
  it('R-4.2 session has a Pod with few rights: no token, no root, no privileges, a read-only root file system', async () => {
    const { pod } = await t4.childrenOf(
      await t4.runningSession('session', { initialPromptSecretRef: { name: 'prompt' } }),
    );
    const claim = await t4.claimOf(await t4.named(T4Workspaces, 'ws'));
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 45,
      securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          image: IMAGE,
          ports: [{ name: 'host', containerPort: 8787 }],
          resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4', memory: '8Gi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    const volumes = (pod.spec as { volumes: JsonObject[] }).volumes;
    expect(volumes).toMatchObject([
      { persistentVolumeClaim: { claimName: claim?.metadata.name } },
      { configMap: { name: 'omp-config' } },
      { secret: { secretName: 'omp-credentials' } },
      { secret: { secretName: 'prompt' } },
      { emptyDir: {} },
    ]);
  });

  it("R-1.24 a user's text reaches the Pod unchanged, not as a reference to something else", async () => {
    const ci = { repositoryId: 'a/$(T4_SESSION)', ref: '$$x', commit: '0123abc' };
    const { pod } = await t4.childrenOf(await t4.runningSession('session', { ci, guiEnabled: true }));
    const [{ env }] = (pod.spec as { containers: [{ env: JsonObject[] }] }).containers;
    expect(env).toContainEqual({ name: 'T4_CI_REPOSITORY_ID', value: 'a/$$(T4_SESSION)' });
    expect(env).toContainEqual({ name: 'T4_CI_REF', value: '$$$$x' });
    expect(env).toContainEqual({ name: 'T4_GUI_ENABLED', value: 'true' });
  });

  it('R-1.20 session has a Pod and a Service that only it owns, found by its UID', async () => {
    const session = await t4.runningSession();
    const { pod, service } = await t4.childrenOf(session);
    for (const { metadata } of [pod, service]) {
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'cluster.t4.dev/v1alpha1',
          kind: 'T4Session',
          name: 'session',
          uid: session.metadata.uid,
          controller: true,
        },
      ]);
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'evenkeel' });
    }
    expect(service.spec).toMatchObject({
      type: 'ClusterIP',
      selector: { 'cluster.t4.dev/session-uid': session.metadata.uid },
      ports: [{ name: 'host', port: 8787, targetPort: 'host', protocol: 'TCP' }],
    });
    expect(pod.metadata.labels).toMatchObject((service.spec as { selector: object }).selector);
  });

  it('R-1.11 session works when all names have 253 characters', async () => {
    const [host, workspace, name] = ['h', 'w', 's'].map((letter) => letter.repeat(253)) as [string, string, string];
    await t4.create(T4ClusterHosts, host, { spec: hostSpec('shared') });
    await t4.createWorkspace(workspace, { hostRef: host, retentionPolicy: 'Retain' });
    const session = await t4.runningSession(name, { hostRef: host, workspaceRef: workspace });
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });
    const { pod, service } = await t4.childrenOf(session);
    expect(pod.metadata.name).toHaveLength(63);
    expect(service.metadata.labels).toMatchObject({ 'cluster.t4.dev/session': service.metadata.name });
  });

  it('R-1.22 session changes phase and Available with its Pod', async () => {
    const session = await t4.createSession();
    await t4.pass(T4Sessions, session);
    const shown = async () => {
      await t4.pass(T4Sessions, session);
      const { status } = await t4.read(T4Sessions, session);
      return [(status as { phase: string }).phase, (await t4.shown(T4Sessions, session)).Available];
    };
    expect(await shown()).toEqual(['Pending', 'False PodNotReady']);
    await t4.ready(session);
    expect(await shown()).toEqual(['Running', 'True PodReady']);
    await t4.ready(session, 'False');
    expect(await shown()).toEqual(['Pending', 'False PodNotReady']);
    await t4.ready(session, 'False', 'Failed');
    expect(await shown()).toEqual(['Failed', 'False PodFailed']);
  });

  it('R-1.23 a transition time changes only with its own condition', async () => {
    const session = await t4.runningSession();
    const before = conditionsOf(session);
    await t4.world.clock.advance(60_000);
    await t4.edit(T4Sessions, session, { spec: { title: 'Other' } });
    await t4.ready(session, 'False');
    await t4.pass(T4Sessions, session);
    const after = conditionsOf(await t4.read(T4Sessions, session));
    expect(after.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2]);
    const times = (conditions: typeof before) => conditions.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times(after).slice(0, 3)).toEqual(times(before).slice(0, 3));
    expect(times(after)[3]).not.toBe(times(before)[3]);
  });

  it('R-1.24 no value of the Secret is anywhere except in the Secret', async () => {
    const session = await t4.runningSession();
    await t4.edit(Secrets, await t4.named(Secrets, 'omp-credentials'), { data: { second: '' } });
    await t4.pass(T4Sessions, session);
    const events = await t4.user.list({
      group: 'events.k8s.io',
      version: 'v1',
      plural: 'events',
      kind: 'Event',
      namespaced: true,
    });
    const all = JSON.stringify([
      await t4.read(T4Sessions, session),
      events,
      t4.world.memory.contents(),
      t4.world.logger.lines,
      t4.world.metrics.recorded,
      t4.world.reports,
    ]);
    for (const value of Object.values(SECRET_VALUES)) {
      expect(all).not.toContain(value);
      expect(all).not.toContain(Buffer.from(value).toString('base64'));
    }
  });
});

describe('a specification that slipped past admission', () => {
  it('R-4.2 R-6.4 session reports the field, is revoked, and does not retry when admission did not refuse an invalid spec', async () => {
    const session = await t4.runningSession();
    const { api } = t4.world;
    const get: typeof api.get = async (type, name, options) => {
      const object = await api.get(type, name, options);
      return type === T4Sessions
        ? { ...object, spec: { ...(object.spec as object), title: '', hostRef: 'A' } }
        : object;
    };
    const report = await t4.pass(
      T4Sessions,
      session,
      t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } }),
    );
    expect(report).toMatchObject({ outcome: 'terminal', reason: 'InvalidSpec', dueAtMs: undefined });
    expect(await t4.shown(T4Sessions, session)).toEqual({
      HostReady: 'Unknown NotEvaluated',
      WorkspaceReady: 'Unknown NotEvaluated',
      RuntimeConfigured: 'Unknown NotEvaluated',
      Available: 'False InvalidSpec',
    });
    const [available] = conditionsOf(await t4.read(T4Sessions, session)).filter(({ type }) => type === 'Available');
    expect(available?.message).toContain('spec.hostRef must be');
    expect(available?.message).toContain('spec.title must be');
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
  });
});
