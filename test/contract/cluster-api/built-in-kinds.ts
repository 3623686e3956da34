import { expect, it } from 'vitest';
import type { DesiredObject, JsonObject } from '../../../lib/core/kube-object.ts';
import {
  ConfigMaps,
  Deployments,
  Events,
  Leases,
  type ResourceType,
  Secrets,
} from '../../../lib/core/resource-type.ts';
import { area, manager, nameOf } from './world.ts';

const MICRO_TIME = '2026-11-29T12:00:00.000000Z';

function event(namespace: string, fields: Record<string, unknown> = {}): DesiredObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name: 'a.1' },
    eventTime: MICRO_TIME,
    reportingController: 'evenkeel.dev/contract',
    reportingInstance: 'contract-1',
    action: 'Reconcile',
    reason: 'Ready',
    type: 'Normal',
    note: 'all is well',
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' },
    ...fields,
  };
}

export const describeEvents = area('R-6.5 an Event', (world) => {
  it('is recorded, and counted again as a series', async () => {
    const created = await world().api.create(Events, event(await world().namespace()), manager);
    expect(created).toMatchObject({ reason: 'Ready', eventTime: MICRO_TIME, note: 'all is well' });
    const series = { count: 2, lastObservedTime: '2026-11-29T12:05:00.000000Z' };
    const body = { type: 'merge' as const, patch: { series } };
    await expect(world().api.patch(Events, nameOf(created), body, manager)).resolves.toMatchObject({ series });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no time', { eventTime: null }],
    ['no reporter', { reportingController: '' }],
    ['no instance', { reportingInstance: '' }],
    ['no action', { action: '' }],
    ['no reason', { reason: '' }],
    ['an unknown type', { type: 'Alarming' }],
    ['too long a note', { note: 'x'.repeat(1_025) }],
    ['a note of 500 characters in 1,500 bytes', { note: '漢'.repeat(500) }],
    ['a reason of 129 bytes', { reason: `${'x'.repeat(127)}é` }],
    ['an action of 129 bytes', { action: `${'x'.repeat(127)}é` }],
    ['an instance of 129 bytes', { reportingInstance: `${'x'.repeat(127)}é` }],
  ])('with %s is Invalid', async (_, fields) => {
    const creating = world().api.create(Events, event(await world().namespace(), fields), manager);
    await expect(creating).rejects.toMatchObject({ reason: 'Invalid' });
  });
});

export const describeEventText = area('R-1.33 an Event', (world) => {
  it('is taken when each text is as long in bytes as its limit', async () => {
    const fields = { note: `${'漢'.repeat(341)}x`, reason: 'é'.repeat(64), action: 'é'.repeat(64) };
    const created = await world().api.create(Events, event(await world().namespace(), fields), manager);
    expect(created).toMatchObject(fields);
  });
});

export const describeLeases = area('R-1.10 a Lease', (world) => {
  it('keeps its times to the microsecond, and one of two holders that read the same gets it', async () => {
    const spec = { holderIdentity: 'one', leaseDurationSeconds: 30, renewTime: MICRO_TIME };
    const metadata = { namespace: await world().namespace(), name: 'a' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    const created = await world().api.create(Leases, lease, manager);
    expect(created.spec).toEqual(spec);
    const take = (holderIdentity: string) => {
      const { resourceVersion } = created.metadata;
      const patch = { metadata: { resourceVersion }, spec: { holderIdentity } };
      return world().api.patch(Leases, metadata, { type: 'merge', patch }, manager);
    };
    const outcomes = await Promise.allSettled([take('two'), take('three')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toMatchObject({ reason: 'Conflict' });
  });
});

export const describeDeployments = area('R-1.14 a Deployment', (world) => {
  it('is defaulted, has a generation, and rolls out by its template only when that changes', async () => {
    const labels = { app: 'web' };
    const container = { name: 'web', image: 'registry.example/web:1' };
    const created = await world().api.create(
      Deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: await world().namespace(), name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      },
      manager,
    );
    expect(created).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate' },
        template: { spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'IfNotPresent' }] } },
      },
    });
    const annotate = (annotations: Record<string, string>) => ({
      type: 'merge' as const,
      patch: { spec: { template: { metadata: { annotations } } } },
    });
    const rolled = await world().api.patch(Deployments, nameOf(created), annotate({ a: '1' }), manager);
    expect(rolled.metadata.generation).toBe(2);
    const again = await world().api.patch(Deployments, nameOf(created), annotate({ a: '1' }), manager);
    expect(again).toEqual(rolled);
  });
});

const kind = (group: string, name: string, plural: string): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind: name,
  namespaced: true,
});
const Pods = kind('', 'Pod', 'pods');
const Services = kind('', 'Service', 'services');
const Policies = kind('networking.k8s.io', 'NetworkPolicy', 'networkpolicies');
const Roles = kind('rbac.authorization.k8s.io', 'Role', 'roles');
const container = { name: 'web', image: 'registry.example/web:1' };
const pod = (fields: JsonObject): JsonObject => ({ spec: { ...fields, containers: [container] } });
const web = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ ...container, ...fields }] } });

/** The fields that are sent, the path to read, and the value expected there. */
const EMPTY_VALUES: readonly [string, ResourceType, JsonObject, string, unknown][] = [
  ['an empty map', ConfigMaps, { data: {} }, 'data', undefined],
  ['null', ConfigMaps, { data: null }, 'data', undefined],
  ['empty text in a map', ConfigMaps, { data: { a: '' } }, 'data', { a: '' }],
  ['false behind a pointer', ConfigMaps, { immutable: false }, 'immutable', false],
  ['stringData', Secrets, { stringData: { a: 'b' } }, 'stringData', undefined],
  ['an empty node selector', Pods, pod({ nodeSelector: {} }), 'spec.nodeSelector', undefined],
  ['false', Pods, pod({ hostNetwork: false }), 'spec.hostNetwork', undefined],
  ['false of a token', Pods, pod({ automountServiceAccountToken: false }), 'spec.automountServiceAccountToken', false],
  ['an empty struct', Pods, pod({ securityContext: {} }), 'spec.securityContext', {}],
  ['zero behind a pointer', Pods, pod({ priority: 0 }), 'spec.priority', 0],
  ['no arguments', Pods, web({ args: [] }), 'spec.containers.0.args', undefined],
  ['empty arguments', Pods, web({ args: [''] }), 'spec.containers.0.args', ['']],
  ['no value', Pods, web({ env: [{ name: 'A', value: '' }] }), 'spec.containers.0.env', [{ name: 'A' }]],
  ['no limits', Pods, web({ resources: { limits: {} } }), 'spec.containers.0.resources', {}],
  [
    'a zero delay',
    Pods,
    web({ livenessProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: 0, timeoutSeconds: 0 } }),
    'spec.containers.0.livenessProbe',
    { tcpSocket: { port: 1 }, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  ],
  [
    'quantities',
    Pods,
    web({ resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }),
    'spec.containers.0.resources.limits',
    { cpu: '1', memory: '1Gi' },
  ],
  ['an empty selector', Services, { spec: { ports: [{ port: 1 }], selector: {} } }, 'spec.selector', undefined],
  ['no addresses', Services, { spec: { ports: [{ port: 1 }], externalIPs: [] } }, 'spec.externalIPs', undefined],
  ['no rules of a policy', Policies, { spec: { podSelector: {}, ingress: [] } }, 'spec.ingress', undefined],
  ['an empty rule of a policy', Policies, { spec: { podSelector: {}, ingress: [{}] } }, 'spec.ingress', [{}]],
  ['an empty pod selector', Policies, { spec: { podSelector: {} } }, 'spec.podSelector', {}],
  ['no labels in a selector', Policies, { spec: { podSelector: { matchLabels: {} } } }, 'spec.podSelector', {}],
  ['no rules of a role', Roles, { rules: [] }, 'rules', null],
];

export const describeEmptyValues = area('R-1.32 an object of a built-in kind', (world) => {
  it.each(EMPTY_VALUES)('shows %s as the real API server does', async (_, type, content, path, shown) => {
    const metadata = { namespace: await world().namespace(), name: 'a', annotations: {}, labels: {} };
    const sent = { apiVersion: type.group === '' ? 'v1' : `${type.group}/v1`, kind: type.kind, metadata, ...content };
    const created = await world().api.create(type, sent, manager);
    const found = path.split('.').reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], created);
    expect(found).toEqual(shown);
    expect(created.metadata).not.toHaveProperty('annotations');
  });
});
