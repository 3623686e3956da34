import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { Gateways } from '../../lib/controllers/control-plane/kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../../lib/controllers/control-plane/names.ts';
import { T4Sessions, T4Workspaces } from '../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../lib/core/conditions.ts';
import type { DesiredObject, KubeObject } from '../../lib/core/kube-object.ts';
import { ClusterRun } from '../controllers/control-plane/cluster-run.ts';
import { conditionOf, controlPlaneWorld, passOf } from '../controllers/control-plane/control-plane-world.ts';
import { workspaceSpec } from '../controllers/t4/objects.ts';
import type { T4Fixture } from '../controllers/t4/t4-fixture.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { type RealApiServer, startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { TransportFaults } from '../support/transport-faults.ts';
import { installDefinition } from './install-definition.ts';
import { T4OnRealServer } from './t4-on-real-server.ts';

type Limits = Readonly<Record<string, string>>;

/** Texts of quotas and limits, which the real server's own admission enforces. Their numbers must not appear. */
const VALUES = /exceeded quota|requested:|used:|limited:|maximum|usage|\b7\b/;

/**
 * A quota with hand-written counts, because no controller counts here. It limits nothing until its status contains
 * `hard`.
 */
async function limit(server: ApiServer, namespace: string, hard: Limits, counted = true): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const metadata = { name: 'seven' };
  const made = await server.expectOk({ method: 'POST', path, body: { metadata, spec: { hard } } });
  const status = { hard, ...(counted && { used: hard }) };
  await server.expectOk({ method: 'PUT', path: `${path}/seven/status`, body: { ...made.json(), status } });
}

async function limitRange(server: ApiServer, namespace: string, type: string, max: Limits): Promise<void> {
  const body = { metadata: { name: 'seven' }, spec: { limits: [{ type, max }] } };
  await server.expectOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/limitranges`, body });
}

async function unlimit(server: ApiServer, namespace: string): Promise<void> {
  for (const plural of ['resourcequotas', 'limitranges']) {
    await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/${plural}/seven` });
  }
}

function expectRefusal(object: KubeObject, type: string, status: string, logs: unknown): void {
  const condition = readConditions(object.status).find((each) => each.type === type);
  expect(`${condition?.status} ${condition?.reason}`).toBe(status);
  if (condition?.reason === 'AdmissionDenied') expect(condition.message).toContain('the admission policy LimitRange');
  expect(JSON.stringify([object.status, logs])).not.toMatch(VALUES);
}

describe('T4 on a real API server that refuses by quota and limits', () => {
  let real: T4OnRealServer;
  let t4: T4Fixture;
  beforeAll(async () => {
    real = await T4OnRealServer.connect();
  });
  afterAll(async () => {
    await real.disconnect();
  });
  beforeEach(async () => {
    t4 = await real.newFixture();
  });
  afterEach(async () => {
    await real.dispose(t4);
  });

  it.each<[string, (server: ApiServer, namespace: string) => Promise<void>, string]>([
    ['a quota of Pods is used up', (server, name) => limit(server, name, { pods: '7' }), 'QuotaExceeded'],
    ['a quota of CPU is used up', (server, name) => limit(server, name, { 'requests.cpu': '7' }), 'QuotaExceeded'],
    ['the counts of a quota are unknown', (server, name) => limit(server, name, { pods: '7' }, false), 'QuotaExceeded'],
    [
      'a quota of memory is used up',
      (server, name) => limit(server, name, { 'limits.memory': '7Mi' }),
      'QuotaExceeded',
    ],
    [
      'a limit range allows less CPU to a container',
      (server, name) => limitRange(server, name, 'Container', { cpu: '7m' }),
      'AdmissionDenied',
    ],
    [
      'a limit range allows less memory to a Pod',
      (server, name) => limitRange(server, name, 'Pod', { memory: '7Mi' }),
      'AdmissionDenied',
    ],
  ])(
    'R-3.11 R-4.11 session names what refuses its Pod when %s, and starts when it is gone',
    async (_, refuse, reason) => {
      await t4.prepare();
      await refuse(real.server, t4.place.namespace);
      const session = await t4.createSession();
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expectRefusal(await t4.read(T4Sessions, session), 'Available', `False ${reason}`, t4.world.logger.lines);
      await unlimit(real.server, t4.place.namespace);
      await t4.pass(T4Sessions, session);
      expect(await t4.podOf(session)).toBeDefined();
    },
  );

  it.each<[string, (server: ApiServer, namespace: string) => Promise<void>, string]>([
    [
      'a quota of claims is used up',
      (server, name) => limit(server, name, { persistentvolumeclaims: '7' }),
      'QuotaExceeded',
    ],
    [
      'a quota of storage is used up',
      (server, name) => limit(server, name, { 'requests.storage': '7Mi' }),
      'QuotaExceeded',
    ],
    [
      'a limit range allows less storage to a claim',
      (server, name) => limitRange(server, name, 'PersistentVolumeClaim', { storage: '7Mi' }),
      'AdmissionDenied',
    ],
  ])(
    'R-3.11 workspace names what refuses its claim when %s, and gets it when it is gone',
    async (_, refuse, reason) => {
      await t4.prepare();
      await refuse(real.server, t4.place.namespace);
      const workspace = await t4.create(T4Workspaces, 'second', { spec: workspaceSpec() });
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
      expectRefusal(await t4.read(T4Workspaces, workspace), 'StorageReady', `False ${reason}`, t4.world.logger.lines);
      await unlimit(real.server, t4.place.namespace);
      await t4.pass(T4Workspaces, workspace);
      expect(await t4.claimOf(workspace)).toBeDefined();
    },
  );
});

describe('the control plane on a real API server that refuses by quota and limits', () => {
  let server: RealApiServer;
  let transport: HttpTransport;
  let run: ClusterRun;
  let namespace = '';
  beforeAll(async () => {
    server = await startRealApiServer();
    for (const definition of [...CONTROL_PLANE_DEFINITIONS, ...PROVIDER_DEFINITIONS]) {
      await installDefinition(server, definition as DesiredObject);
    }
    const where = { file: server.kubeconfigPath, environment: {}, clock: new SystemClock() };
    transport = new HttpTransport({ connection: (await loadKubeconfig(where)).connection });
  });
  afterAll(async () => {
    await transport.close();
    await server.stop();
  });
  beforeEach(async () => {
    const body = { metadata: { generateName: 'refusals-' } };
    const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
    namespace = created.json().metadata.name;
    const faults = new TransportFaults(transport);
    const control = await controlPlaneWorld({ on: { transport, namespace }, wrapTransport: () => faults });
    run = new ClusterRun({ control, faults, close: async () => undefined });
  });
  afterEach(async () => {
    await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  });

  it.each<[string, Limits, boolean, string]>([
    ['a quota of Services is used up', { 'count/services': '7' }, true, 'services'],
    ['a quota of ConfigMaps is used up', { configmaps: '7' }, true, 'configmaps'],
    ['the counts of a quota are unknown', { 'count/services': '7' }, false, 'services'],
  ])(
    'R-3.11 a Gateway says QuotaExceeded when %s, and is repaired when it is gone',
    async (_, hard, counted, plural) => {
      const { gateway } = await run.provision();
      const own = gatewayNamespace(gateway.metadata.uid);
      await limit(server, own, hard, counted);
      await server.expectOk({ method: 'DELETE', path: `/api/v1/namespaces/${own}/${plural}/${GATEWAY_NAME}` });
      await passOf(run.control, Gateways, gateway);
      const told = await run.read(Gateways, gateway);
      expectRefusal(told, 'ResourcesApplied', 'False QuotaExceeded', run.control.world.logger.lines);
      await unlimit(server, own);
      await run.settle();
      expect(conditionOf(await run.read(Gateways, gateway), 'ResourcesApplied')?.status).toBe('True');
    },
  );
});
