import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KeycloakIdentityProvider } from '../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import {
  HttpKeycloakTransport,
  type KeycloakRequest,
  type KeycloakTransport,
} from '../../lib/adapters/keycloak/keycloak-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { controlPlane } from '../../lib/controllers/control-plane/group.ts';
import { Gateways } from '../../lib/controllers/control-plane/kinds.ts';
import { identityClientId } from '../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import type { IdentityProvider } from '../../lib/ports/identity-provider.ts';
import { certificateAuthority } from '../adapters/kubernetes/certificates.ts';
import {
  type ControlPlaneWorld,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  passOf,
  runningGateway,
  settle,
  shown,
  workerWith,
} from '../controllers/control-plane/control-plane-world.ts';
import { KeycloakAdmin, type ServiceAccount } from './keycloak-admin.ts';
import { prepareRealm, type RealmAccounts } from './prepare-realm.ts';
import { type RunningKeycloak, startKeycloak } from './start-keycloak.ts';

const REALM = 'shop';
const FINALIZER = 'hypershell.evenkeel.dev/gateway';
const NO_ROUTE = { route: { enabled: false } };

let keycloak: RunningKeycloak;
let admin: KeycloakAdmin;
let accounts: RealmAccounts;
const transports: HttpKeycloakTransport[] = [];
const clock = new SystemClock();

beforeAll(async () => {
  keycloak = await startKeycloak();
  admin = new KeycloakAdmin(keycloak);
  accounts = await prepareRealm(admin, REALM);
});
// Each world numbers its objects from the beginning, and the names of clients come from these numbers.
beforeEach(async () => {
  for (const realm of (await admin.call('GET', '')) as { realm: string }[]) {
    for (const { id, clientId } of (await admin.call('GET', `/${realm.realm}/clients`)) as Record<string, string>[]) {
      if (clientId?.startsWith('hs-')) await admin.call('DELETE', `/${realm.realm}/clients/${id}`);
    }
  }
});
afterAll(async () => {
  for (const transport of transports) await transport.close();
  await keycloak?.stop();
});

/** The adapter as functions use it, and what it wrote. */
function connected(credentials: ServiceAccount): { provider: IdentityProvider; writes: string[] } {
  const http = new HttpKeycloakTransport(keycloak.url);
  transports.push(http);
  const writes: string[] = [];
  const transport: KeycloakTransport = {
    send: (request: KeycloakRequest) => {
      if (request.method !== 'GET' && request.path.startsWith('/admin/')) writes.push(request.method + request.path);
      return http.send(request);
    },
  };
  const options = { server: keycloak.url, transport, clock, timeoutMs: 60_000 };
  return { provider: new KeycloakIdentityProvider({ ...options, credentials }), writes };
}

async function worldOf(identity: IdentityProvider, settings: object = {}): Promise<ControlPlaneWorld> {
  const account = { server: keycloak.url, realm: 'master', clientId: 'managing' };
  const realms = [{ namespaces: ['*'], realms: [REALM, 'master', 'late'], redirectHosts: ['*.example.org'] }];
  return await controlPlaneWorld({ identity, settings: { identityAccount: account, realms, ...settings } });
}

async function clientIds(realm = REALM): Promise<string[]> {
  const clients = (await admin.call('GET', `/${realm}/clients`)) as { clientId: string }[];
  return clients.map(({ clientId }) => clientId);
}

const clientOf = ({ metadata }: KubeObject, realm = REALM) => admin.client(realm, identityClientId(metadata.uid));

async function newGateway(control: ControlPlaneWorld, spec: object = {}): Promise<KubeObject> {
  await createDatabase(control);
  await settle(control);
  const gateway = await createGateway(control, spec);
  await settle(control);
  return await control.world.read(Gateways, gateway);
}

const reread = (control: ControlPlaneWorld, gateway: KubeObject) => control.world.read(Gateways, gateway);

describe('a Gateway on a real Keycloak', () => {
  it('R-3.1 R-3.3 it gets its client, is Running, writes nothing more, and takes the client with it', async () => {
    const { provider, writes } = connected(accounts.managing);
    const control = await worldOf(provider);
    const { gateway } = await runningGateway(control);
    expect(shown(gateway).Ready).toBe('True AllSatisfied');
    const client = await clientOf(gateway);
    expect(client).toMatchObject({ fullScopeAllowed: false, optionalClientScopes: [] });
    expect((client.defaultClientScopes as string[]).toSorted()).toEqual([
      'acr',
      'basic',
      'email',
      'profile',
      'roles',
      'web-origins',
    ]);
    writes.length = 0;
    await passOf(control, Gateways, gateway);
    expect(writes).toEqual([]);
    await control.world.remove(Gateways, gateway);
    await settle(control);
    expect(await clientIds()).not.toContain(client.clientId);
  });

  it.each<[string, string, object]>([
    [
      'RealmNotPermitted when it asks for the realm of the account',
      'RealmNotPermitted',
      { identity: { realm: 'master' } },
    ],
    [
      'RealmNotPermitted when it asks for a realm that is not named',
      'RealmNotPermitted',
      { identity: { realm: 'other' } },
    ],
    [
      'RedirectHostNotPermitted when it asks for a host that is not named',
      'RedirectHostNotPermitted',
      { serverDnsNames: ['login.example.com'] },
    ],
  ])('R-3.8 it reports %s, and nothing is created', async (_, reason, spec) => {
    const { provider, writes } = connected(accounts.managing);
    const control = await worldOf(provider);
    const before = [await clientIds(), await clientIds('master')];
    const gateway = await newGateway(control, { ...NO_ROUTE, ...spec });
    expect(shown(gateway).IdentityReady).toBe(`False ${reason}`);
    expect([await clientIds(), await clientIds('master')]).toEqual(before);
    expect(writes).toEqual([]);
  });

  it('R-3.8 it says HostNotPermitted, and its client has no redirect, when the host is not named', async () => {
    const routes = [{ namespaces: ['*'], hosts: ['permitted.example.org'] }];
    const control = await worldOf(connected(accounts.managing).provider, { routes });
    const gateway = await newGateway(control);
    expect(shown(gateway).ResourcesApplied).toBe('False HostNotPermitted');
  });

  it('R-3.8 of two that ask for one host, only the older has a redirect to it', async () => {
    const control = await worldOf(connected(accounts.managing).provider);
    const first = await newGateway(control, { serverDnsNames: [] });
    await control.world.clock.advance(5_000);
    const second = await createGateway(control, { serverDnsNames: [], route: { host: 'edge.example.org' } }, 'second');
    await settle(control);
    expect(shown(await reread(control, second)).ResourcesApplied).toBe('False HostConflict');
    expect((await clientOf(first)).redirectUris).toEqual(['https://edge.example.org/*']);
    expect((await clientOf(second)).redirectUris).toEqual([]);
  });

  it.each<[string, (id: string, scopeId: string) => Promise<unknown>]>([
    ['a default scope', (id, scope) => admin.call('PUT', `/${REALM}/clients/${id}/default-client-scopes/${scope}`)],
    ['an optional scope', (id, scope) => admin.call('PUT', `/${REALM}/clients/${id}/optional-client-scopes/${scope}`)],
    [
      'a scope mapping of the realm',
      async (id) => {
        const roles = (await admin.call('GET', `/${REALM}/roles`)) as object[];
        await admin.call('POST', `/${REALM}/clients/${id}/scope-mappings/realm`, roles);
      },
    ],
    [
      'a scope mapping of another client',
      async (id) => {
        const other = await admin.client(REALM, 'realm-management');
        const roles = (await admin.call('GET', `/${REALM}/clients/${other.id}/roles`)) as object[];
        await admin.call('POST', `/${REALM}/clients/${id}/scope-mappings/clients/${other.id}`, roles);
      },
    ],
  ])('R-3.8 %s that somebody gives to its client is taken away, and nothing else is written', async (_, give) => {
    const { provider, writes } = connected(accounts.managing);
    const control = await worldOf(provider);
    const { gateway } = await runningGateway(control);
    const before = await clientOf(gateway);
    const [scope] = (await provider.listScopes(REALM)).filter(({ name }) => name === 'phone');
    await give(before.id, scope?.id ?? '');
    writes.length = 0;
    await passOf(control, Gateways, gateway);
    expect(writes).toHaveLength(1);
    expect(await clientOf(gateway)).toEqual(before);
    expect(await admin.call('GET', `/${REALM}/clients/${before.id}/scope-mappings`)).toEqual({});
    await passOf(control, Gateways, gateway);
    expect(writes).toHaveLength(1);
  });

  it.each<[string, (uid: string) => Record<string, string>]>([
    ['the owner UID alone', (uid) => ({ 'evenkeel.dev/owner-uid': uid })],
    ['every mark of ours', (uid) => ({ 'evenkeel.dev/owner-uid': uid, 'evenkeel.dev/managed-by': 'evenkeel' })],
    [
      'the UID of another owner',
      () => ({ 'evenkeel.dev/owner-uid': 'another', 'evenkeel.dev/managed-by': 'evenkeel' }),
    ],
  ])('R-3.9 a client that carries %s and was not recorded is neither changed nor deleted', async (_, attributes) => {
    const { provider, writes } = connected(accounts.managing);
    const control = await worldOf(provider);
    await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control);
    const { uid } = gateway.metadata;
    await admin.call('POST', `/${REALM}/clients`, { clientId: identityClientId(uid), attributes: attributes(uid) });
    const before = await clientOf(gateway);
    await settle(control);
    expect(shown(await reread(control, gateway)).IdentityReady).toBe('False OwnershipConflict');
    await control.world.remove(Gateways, gateway);
    await settle(control);
    expect(await clientOf(gateway)).toEqual(before);
    expect(writes).toEqual([]);
  });

  it.each(['powerless', 'querying', 'viewing'] as const)(
    'R-3.10 R-1.17 it keeps its finalizer and its client when the account is %s',
    async (account) => {
      const control = await worldOf(connected(accounts.managing).provider);
      const { gateway } = await runningGateway(control);
      const client = await clientOf(gateway);
      const weak = workerWith(control, { identity: connected(accounts[account]).provider });
      await control.world.remove(Gateways, gateway);
      for (let pass = 0; pass < 4; pass += 1) {
        await passOf(control, Gateways, gateway, weak);
        await control.world.server.idle();
      }
      const held = await reread(control, gateway);
      expect(held.metadata.finalizers).toContain(FINALIZER);
      expect(conditionOf(held, 'CleanupPending')).toMatchObject({ status: 'True', reason: 'AccessDenied' });
      expect(await clientOf(gateway)).toEqual(client);
      await control.world.clock.advance(600_000);
      await settle(control);
      expect(await clientIds()).not.toContain(client.clientId);
    },
  );

  it('R-3.10 a token from before the account got its role is renewed when it is refused', async () => {
    const account = await admin.newAccount('promoted');
    const control = await worldOf(connected(account).provider);
    const gateway = await newGateway(control);
    expect(shown(gateway).IdentityReady).toBe('Unknown IdentityAccessDenied');
    await admin.setRoles('POST', account, REALM, ['manage-clients']);
    await passOf(control, Gateways, gateway);
    expect(shown(await reread(control, gateway)).IdentityReady).toBe('True ClientReady');
  });

  it('R-3.10 a token from before the realm was made is renewed when it is refused', async () => {
    const { realm, clientId, clientSecret } = keycloak.credentials;
    const control = await worldOf(connected({ realm, clientId, clientSecret }).provider);
    const gateway = await newGateway(control, { identity: { realm: 'late' } });
    expect(shown(gateway).IdentityReady).toBe('False RealmNotFound');
    await admin.call('POST', '', { realm: 'late', enabled: true });
    await passOf(control, Gateways, gateway);
    expect(shown(await reread(control, gateway)).IdentityReady).toBe('True ClientReady');
  });

  it('R-3.10 R-1.17 an account that loses its role while it runs changes nothing and says so', async () => {
    const account = await admin.newAccount('demoted');
    await admin.setRoles('POST', account, REALM, ['manage-clients']);
    const control = await worldOf(connected(account).provider);
    const { gateway } = await runningGateway(control);
    const client = await clientOf(gateway);
    await admin.setRoles('DELETE', account, REALM, ['manage-clients']);
    await admin.setRoles('POST', account, REALM, ['query-clients']);
    const worker = workerWith(control, { identity: connected(account).provider });
    await passOf(control, Gateways, gateway, worker);
    expect(shown(await reread(control, gateway)).IdentityReady).toBe('Unknown IdentityAccessDenied');
    expect(await clientOf(gateway)).toEqual(client);
  });
});

describe('a real Keycloak behind a certificate of a private authority', () => {
  const authority = certificateAuthority();
  const issued = authority.issue('localhost', ['localhost', '127.0.0.1']);
  const front = createServer({ cert: issued.certificate, key: issued.key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { authorization, 'content-type': type } = request.headers;
    const answer = await fetch(keycloak.url + request.url, {
      method: request.method ?? 'GET',
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const location = answer.headers.get('location');
    response.writeHead(answer.status, location === null ? {} : { location }).end(await answer.text());
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
  });

  it.each<[string, object, string]>([
    ['gets its client when the settings name the authority', { ca: authority.certificate }, 'True ClientReady'],
    ['says IdentityUnavailable when they name none', {}, 'Unknown IdentityUnavailable'],
    [
      'says IdentityUnavailable when they name another',
      { ca: certificateAuthority('Another').certificate },
      'Unknown IdentityUnavailable',
    ],
  ])('R-3.11 a Gateway %s', async (_, trusted, shows) => {
    const server = `https://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const { clientId } = accounts.managing;
    const section = controlPlane.section.parse({ identity: { server, realm: 'master', clientId, ...trusted } });
    const secret = { name: 'identity-client', read: async () => accounts.managing.clientSecret };
    const connected = controlPlane.clients?.connect(section, {
      clock,
      readText: (path) => readFileSync(path, 'utf8'),
      stageSecret: () => secret,
      standIn: undefined,
    });
    if (connected === undefined) throw new Error('the settings name no identity server');
    try {
      const gateway = await newGateway(await worldOf(connected.clients));
      expect(shown(gateway).IdentityReady).toBe(shows);
    } finally {
      await connected.close();
    }
  });
});
