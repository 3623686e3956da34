import { describe, expect, it } from 'vitest';
import { Clusters, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  controlPlaneWorld,
  databaseObjects,
  find,
  gatewayObjects,
  type OwnedObject,
  passOf,
  phaseOf,
  runningGateway,
  settle,
} from './control-plane-world.ts';
import { EDITS, essence, RELABELLED } from './drift-edits.ts';

async function found(control: ControlPlaneWorld, object: OwnedObject): Promise<KubeObject> {
  const present = await find(control, object);
  if (present === undefined) throw new Error(`${object.type.kind} ${object.namespace}/${object.name} is not there`);
  return present;
}

/** Situations in which drift must still be repaired. Each is set up on a running Gateway. */
const SITUATIONS: Readonly<Record<string, (control: ControlPlaneWorld, database: KubeObject) => Promise<void>>> = {
  'while Running': async () => undefined,
  'while DatabaseReady is False': async (control, database) => {
    const cluster = databaseObjects(database.metadata.uid)[1]!;
    control.operators.options = { idle: [Clusters] };
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Down', message: 'down', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    await control.world.edit(Clusters, await found(control, cluster), { status: { conditions } }, 'status');
  },
  'while its database is gone': async (control, database) => {
    // Its finalizer is removed by force, so its objects stay.
    await control.world.edit(ManagedDatabases, database, { metadata: { finalizers: null } });
    await control.world.remove(ManagedDatabases, database);
  },
  'while IdentityReady is False': async (control) => {
    control.keycloak.realms.delete('shop');
  },
  'while IdentityReady is Unknown': async (control) => {
    control.keycloak.faults.inject({ match: ({ path }) => path.startsWith('/admin/'), fault: { status: 503 } });
  },
};

const CONDITION: Readonly<Record<string, [string, string]>> = {
  'while Running': ['Ready', 'True'],
  'while DatabaseReady is False': ['DatabaseReady', 'False'],
  'while its database is gone': ['DatabaseReady', 'False'],
  'while IdentityReady is False': ['IdentityReady', 'False'],
  'while IdentityReady is Unknown': ['IdentityReady', 'Unknown'],
};

const KINDS = gatewayObjects('g', 'd').map(({ type, name, namespace }, index) => ({
  index,
  kind: `${type.kind}${type === Secrets ? (namespace.startsWith('hs-db') ? ' (of the database)' : ' (of the pods)') : ''}`,
  name,
}));

it('R-1.13 fields of others on owned objects stay, and cost no write', async () => {
  const control = await controlPlaneWorld();
  const { world } = control;
  const { gateway, database } = await runningGateway(control);
  const deployment = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(
    ({ type }) => type === Deployments,
  )!;
  const present = await found(control, deployment);
  const spec = (present.spec as { template: { spec: { containers: object[] } } }).template.spec;
  const containers = [...spec.containers, { name: 'sidecar', image: 'sidecar' }];
  const edited = await world.edit(Deployments, present, {
    metadata: { labels: { team: 'a' }, annotations: { note: 'kept' } },
    spec: { minReadySeconds: 5, template: { spec: { containers } } },
  });
  await settle(control);
  world.server.requests.clear();
  await passOf(control, Gateways, gateway);
  expect(world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
  expect((await found(control, deployment)).spec).toEqual(edited.spec);
});

describe.each(Object.keys(SITUATIONS))('R-1.4 R-3.1 R-3.2 drift of a Gateway %s', (situation) => {
  const cases = KINDS.flatMap((kind) => ['removed', 'edited', 'without its label'].map((how) => ({ ...kind, how })));
  it.each(cases)('$kind is restored when it was $how', async ({ index, how }) => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    await SITUATIONS[situation]!(control, database);
    await settle(control);
    const [type, status] = CONDITION[situation]!;
    expect(conditionOf(await world.read(Gateways, gateway), type)?.status).toBe(status);
    const all = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
    const before = await Promise.all(all.map((object) => found(control, object)));
    const [object, present] = [all[index]!, before[index]!];

    if (how === 'removed') await world.remove(object.type, present);
    else await world.edit(object.type, present, how === 'edited' ? EDITS[kindId(object.type)]! : RELABELLED);
    await world.server.idle();
    await settle(control);

    const after = await Promise.all(all.map((each) => found(control, each)));
    // The credentials version is not part of the drift. It may have changed and rolled out the Deployment.
    const withoutVersions = (objects: KubeObject[]): unknown =>
      JSON.parse(
        JSON.stringify(objects.map(essence), (key, value) => (key.endsWith('/credentials-version') ? '' : value)),
      );
    expect(withoutVersions(after)).toEqual(withoutVersions(before));
    const now = await world.read(Gateways, gateway);
    expect(conditionOf(now, type)?.status).toBe(status);
    expect(phaseOf(now)).toBe('Running');
  });
});

function mappingsOf(control: ControlPlaneWorld, uid: string) {
  return control.keycloak.realms.get('shop')!.mappingsOf(clientOf(control, uid)!.id);
}

function newClient({ keycloak }: ControlPlaneWorld, clientId: string) {
  const fields = { attributes: {}, protocolMappers: [], defaultClientScopes: [], optionalClientScopes: [] };
  const client = { id: clientId, clientId, ...fields };
  keycloak.realms.get('shop')!.clients.set(client.id, client);
  return { client };
}

/** Drift in Keycloak can be seen only while Keycloak responds. */
describe.each(['while Running', 'while DatabaseReady is False', 'while its database is gone'])(
  'R-1.4 R-3.7 drift of the identity client %s',
  (situation) => {
    const CHANGES: Readonly<Record<string, (control: ControlPlaneWorld, uid: string) => void>> = {
      'the client removed': (control, uid) => control.keycloak.realms.get('shop')!.remove(clientOf(control, uid)!.id),
      'the client disabled': (control, uid) => Object.assign(clientOf(control, uid)!, { enabled: false }),
      'its redirects edited': (control, uid) =>
        Object.assign(clientOf(control, uid)!, { redirectUris: ['https://evil/*'] }),
      'a mapper removed': (control, uid) => clientOf(control, uid)!.protocolMappers.pop(),
      'a mapper edited': (control, uid) => {
        clientOf(control, uid)!.protocolMappers[0]!.config['included.client.audience'] = 'another';
      },
      'its scope widened': (control, uid) => Object.assign(clientOf(control, uid)!, { fullScopeAllowed: true }),
      'a mapper of somebody added': (control, uid) =>
        clientOf(control, uid)!.protocolMappers.push({
          id: 'theirs',
          name: 'theirs',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-hardcoded-role-mapper',
          config: { role: 'admin' },
        }),
      'a default scope of somebody added': (control, uid) => {
        control.keycloak.realms.get('shop')!.addScope('theirs', 'theirs');
        clientOf(control, uid)!.defaultClientScopes.push('theirs');
      },
      'an optional scope added': (control, uid) => clientOf(control, uid)!.optionalClientScopes.push('offline_access'),
      'a default scope removed': (control, uid) => clientOf(control, uid)!.defaultClientScopes.shift(),
      'a default scope made optional': (control, uid) => {
        const client = clientOf(control, uid)!;
        client.optionalClientScopes.push(client.defaultClientScopes.shift()!);
      },
      'roles of the realm put into its scope': (control, uid) =>
        mappingsOf(control, uid).set('realm', new Set(['admin', 'offline_access'])),
      'roles of another client put into its scope': (control, uid) => {
        const { client } = newClient(control, 'another');
        mappingsOf(control, uid).set(client.id, new Set(['manage-users']));
      },
      'a role removed': (control, uid) =>
        control.keycloak.realms.get('shop')!.rolesOf(clientOf(control, uid)!.id).delete('admin'),
    };
    const state = (control: ControlPlaneWorld, uid: string) => {
      const client = clientOf(control, uid)!;
      const { id: _, protocolMappers, ...rest } = client;
      const mappers = protocolMappers.map(({ id: __, ...mapper }) => mapper);
      const defaultClientScopes = client.defaultClientScopes.toSorted();
      const roles = [...control.keycloak.realms.get('shop')!.rolesOf(client.id).keys()].sort();
      return { ...rest, defaultClientScopes, mappers, roles, scopeMappings: [...mappingsOf(control, uid)] };
    };

    it.each(Object.keys(CHANGES))('%s is restored at the next check', async (change) => {
      const control = await controlPlaneWorld();
      const { gateway, database } = await runningGateway(control);
      const { uid } = gateway.metadata;
      await SITUATIONS[situation]!(control, database);
      await settle(control);
      const before = structuredClone(state(control, uid));
      CHANGES[change]!(control, uid);
      expect(clientOf(control, uid) && state(control, uid)).not.toEqual(before);
      await settle(control);
      expect(state(control, uid)).toEqual(before);
    });
  },
);

describe('an owned object that somebody deletes, and another party holds', () => {
  it.each(KINDS)(
    'R-1.4 R-1.19 R-3.1 a Gateway shows that it waits for $kind, and creates it again when it is gone',
    async ({ index }) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { gateway, database } = await runningGateway(control);
      const place = gatewayObjects(gateway.metadata.uid, database.metadata.uid)[index]!;
      const finalizers = ['example.org/audit'];
      const before = await world.edit(place.type, await found(control, place), { metadata: { finalizers } });
      await world.remove(place.type, before);
      await world.server.idle();
      await settle(control);
      const held = await found(control, place);
      expect(held.metadata).toMatchObject({ uid: before.metadata.uid, finalizers });
      const told = conditionOf(await world.read(Gateways, gateway), 'ResourcesApplied');
      expect(told).toMatchObject({ status: 'False', reason: `${place.type.kind}Terminating` });
      expect(told?.message).toContain('example.org/audit');
      await world.edit(place.type, held, { metadata: { finalizers: null } });
      await world.server.idle();
      await settle(control);
      expect((await found(control, place)).metadata.uid).not.toBe(before.metadata.uid);
      expect(conditionOf(await world.read(Gateways, gateway), 'Ready')?.status).toBe('True');
    },
  );
});
