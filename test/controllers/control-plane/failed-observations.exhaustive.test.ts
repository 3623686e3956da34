import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../lib/apiserver/request-log.ts';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  leftovers,
  passOf,
  runningGateway,
  settle,
} from './control-plane-world.ts';

/** How a read can fail. A time-out is a request that gets no response. */
const FAULTS = {
  'times out': { hang: true },
  'is forbidden': { status: 403 },
  'is throttled': { status: 429, retryAfterSeconds: 3 },
  'fails in the server': { status: 500 },
  'is cut off': { resetAfterBytes: 10 },
  // The response for a kind that is not served, although it is.
  'is unknown': { status: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
} as const;
const IDENTITY_FAULTS = {
  'times out': { hang: true },
  'is refused': { status: 401 },
  'is forbidden': { status: 403 },
  'is throttled': { status: 429, headers: { 'retry-after': '3' } },
  'fails in the server': { status: 500 },
  'is HTML': { status: 200, body: '<html>login</html>' },
} as const;

/** One step of a deletion: a pass, during which the clock advances far enough for hanging requests to time out. */
async function passWithTime(control: ControlPlaneWorld, type: ResourceType, object: KubeObject) {
  let ended = false;
  const running = passOf(control, type, object).finally(() => {
    ended = true;
  });
  await control.world.clock.advanceUntil(() => ended, 60_000);
  return await running;
}

const reads = (record: Omit<RequestRecord, 'status'>) =>
  record.userAgent === 'evenkeel' && (record.verb === 'get' || record.verb === 'list');

/** The reads of a whole deletion without faults, each once. The deletion depends on them. */
async function readingsOf(
  delete_: (control: ControlPlaneWorld) => Promise<{ type: ResourceType; object: KubeObject }>,
) {
  const control = await controlPlaneWorld();
  const { type, object } = await delete_(control);
  control.world.server.requests.clear();
  control.keycloak.requests.length = 0;
  for (let pass = 0; pass < 12; pass += 1) {
    await passOf(control, type, object);
    await control.world.server.idle();
  }
  expect(await leftovers(control)).not.toContain(`${type.kind} team-a/${object.metadata.name}`);
  const inCluster = control.world.server.requests
    .find({ userAgent: 'evenkeel' })
    .filter((record) => reads(record) && record.resource !== type.plural && record.resource !== 'events');
  const atKeycloak = control.keycloak.requests.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/admin'),
  );
  const unique = new Map(
    inCluster.map((record) => [`${record.verb} ${record.resource} ${record.namespace}/${record.name}`, record]),
  );
  return {
    object,
    readings: [...unique.keys()],
    identityReadings: [...new Set(atKeycloak.map(({ path }) => path))],
  };
}

const keyOf = ({ verb, resource, namespace, name }: Omit<RequestRecord, 'status'>) =>
  `${verb} ${resource} ${namespace}/${name}`;

const DELETIONS: Readonly<
  Record<string, (control: ControlPlaneWorld) => Promise<{ type: ResourceType; object: KubeObject }>>
> = {
  'a Gateway': async (control) => {
    const { gateway } = await runningGateway(control);
    await control.world.remove(Gateways, gateway);
    return { type: Gateways, object: gateway };
  },
  'a ManagedDatabase': async (control) => {
    const database = await createDatabase(control);
    await settle(control);
    await control.world.remove(ManagedDatabases, database);
    return { type: ManagedDatabases, object: database };
  },
};

for (const [name, begin] of Object.entries(DELETIONS)) {
  describe(`R-1.17 R-3.3 deleting ${name}`, async () => {
    const { readings, identityReadings } = await readingsOf(begin);

    it('the deletion depends on reads', () => {
      expect(readings.length).toBeGreaterThan(name === 'a Gateway' ? 6 : 2);
    });

    const cases = readings.flatMap((reading) => Object.keys(FAULTS).map((how) => ({ reading, how })));
    it.each(cases)(
      'a deletion removes nothing later, reports it, and continues afterwards when $reading $how',
      async ({ reading, how }) => {
        const control = await controlPlaneWorld();
        const { world } = control;
        const { type, object } = await begin(control);
        const fault = FAULTS[how as keyof typeof FAULTS];
        let afterFault = false;
        const deletions: string[] = [];
        const injected = world.server.inject({
          match: (record) => {
            if (afterFault && record.verb === 'delete' && record.userAgent === 'evenkeel')
              deletions.push(keyOf(record));
            const hit = reads(record) && keyOf(record) === reading;
            if (hit) afterFault = true;
            return hit;
          },
          fault,
        });
        for (let pass = 0; pass < 12 && !afterFault; pass += 1) {
          await passWithTime(control, type, object);
          await world.server.idle();
          if (!afterFault) await world.clock.advance(2_000);
        }
        expect(afterFault).toBe(true);
        expect(deletions).toEqual([]);
        const now = await world.read(type, object);
        expect(now.metadata.finalizers?.length).toBe(1);
        expect(conditionOf(now, 'CleanupPending')).toMatchObject({
          status: 'True',
          reason: expect.stringMatching(/^(CleanupFailed|AccessDenied|GatewayListFailed)$/),
        });
        expect(world.reports.at(-1)).toMatchObject({ outcome: 'retry' });

        injected.remove();
        await world.clock.advance(600_000);
        await settle(control);
        expect((await leftovers(control)).some((left) => left.startsWith(type.kind))).toBe(false);
      },
    );

    if (identityReadings.length === 0) return;
    // After an empty result the list is read again when the right to view is proved. The second read fails alone, too.
    const clientsPath = identityReadings.find((path) => path.endsWith('/clients')) ?? '';
    const viewPath = identityReadings.find((path) => path.endsWith('/clients-initial-access')) ?? '';
    const IDENTITY_READINGS = {
      'reading the identity client': { path: clientsPath, first: true },
      'proving the right to view clients': { path: viewPath, first: false },
      'reading the identity client again': { path: clientsPath, after: viewPath, first: false },
    };
    it('R-3.10 the deletion depends on these reads of the identity provider', () => {
      expect([...identityReadings].sort()).toEqual([viewPath, clientsPath].sort());
    });

    const identityCases = Object.keys(IDENTITY_READINGS).flatMap((reading) =>
      Object.keys(IDENTITY_FAULTS).map((how) => ({ reading: reading as keyof typeof IDENTITY_READINGS, how })),
    );
    it.each(identityCases)(
      'R-3.7 R-3.10 a deletion removes nothing later when $reading $how',
      async ({ reading, how }) => {
        const control = await controlPlaneWorld();
        const { world, keycloak } = control;
        const { type, object } = await begin(control);
        const fault = IDENTITY_FAULTS[how as keyof typeof IDENTITY_FAULTS];
        const { path, first, after }: { path: string; first: boolean; after?: string } = IDENTITY_READINGS[reading];
        const deleted = () => ({
          inCluster: world.server.requests.find({ verb: 'delete', userAgent: 'evenkeel' }).map(keyOf),
          atKeycloak: keycloak.writes().length,
        });
        let atFault: ReturnType<typeof deleted> | undefined;
        let isNext = after === undefined;
        keycloak.requests.length = 0;
        const injected = keycloak.faults.inject({
          match: (request) => {
            if (request.path === after) isNext = true;
            const hit = isNext && request.path === path;
            if (hit) atFault ??= deleted();
            return hit;
          },
          fault,
        });
        for (let pass = 0; pass < 6; pass += 1) await passWithTime(control, type, object);
        expect(injected.hits).toBeGreaterThan(0);
        expect(deleted()).toEqual(atFault);
        // The reads after the first one confirm that the client, which was deleted before, is gone.
        expect(keycloak.writes().map(({ method }) => method)).toEqual(first ? [] : ['DELETE']);
        const left = await leftovers(control);
        expect(left.filter((each) => /^(Namespace|Database|DatabaseRole) /.test(each)).length).toBe(4);
        expect(left.filter((each) => /^client /.test(each)).length).toBe(first ? 1 : 0);
        expect(left.filter((each) => /^(Deployment|Service|GRPCRoute) /.test(each))).toEqual([]);
        expect(conditionOf(await world.read(type, object), 'CleanupPending')?.message).toContain('identity client');

        injected.remove();
        await world.clock.advance(600_000);
        await settle(control);
        expect((await leftovers(control)).some((each) => /^(Gateway|client)/.test(each))).toBe(false);
      },
    );
  });
}

describe('R-1.17 a kind that is not served, and a definition that cannot be read', () => {
  const DEFINITIONS = {
    'a Gateway': ['grpcroutes', 'databases', 'databaseroles'],
    'a ManagedDatabase': ['clusters'],
  };
  const cases = Object.entries(DEFINITIONS).flatMap(([name, resources]) =>
    resources.flatMap((resource) => Object.keys(FAULTS).map((how) => ({ name, resource, how }))),
  );
  it.each(cases)(
    '$name: it stays unknown whether $resource are left while that $how',
    async ({ name, resource, how }) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { type, object } = await DELETIONS[name]!(control);
      const unserved = world.server.inject({ match: { resource, userAgent: 'evenkeel' }, fault: FAULTS['is unknown'] });
      const unread = world.server.inject({
        match: { resource: 'customresourcedefinitions', userAgent: 'evenkeel' },
        fault: FAULTS[how as keyof typeof FAULTS],
      });
      for (let pass = 0; pass < 8 && unread.hits === 0; pass += 1) {
        await passWithTime(control, type, object);
        await world.server.idle();
      }
      expect(unread.hits).toBeGreaterThan(0);
      await passWithTime(control, type, object);
      const now = await world.read(type, object);
      expect(now.metadata.finalizers?.length).toBe(1);
      expect(conditionOf(now, 'CleanupPending')).toMatchObject({ status: 'True' });
      expect(world.reports.at(-1)).toMatchObject({ outcome: 'retry' });
      expect((await leftovers(control)).some((left) => left.startsWith('Namespace'))).toBe(true);
      unread.remove();
      unserved.remove();
      await world.clock.advance(600_000);
      await settle(control);
      expect((await leftovers(control)).some((left) => left.startsWith(type.kind))).toBe(false);
    },
  );
});
