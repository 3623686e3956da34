import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientSettings,
  IdentityError,
  type IdentityProvider,
  type ScopeMapping,
} from '../../lib/ports/identity-provider.ts';

/** One server under test, in which the suite may do what it likes in one realm. */
export interface IdentityProviderTarget {
  readonly provider: IdentityProvider;
  /** As `provider`, but with credentials that the server does not know. */
  readonly stranger: IdentityProvider;
  /** As `provider`, but of an account that may log in and do nothing. */
  readonly powerless: IdentityProvider;
  /** As `provider`, but of an account that has the role `query-clients` of the realm and no other. */
  readonly querying: IdentityProvider;
  /** As `provider`, but of an account that has the role `view-clients` of the realm and no other. */
  readonly viewing: IdentityProvider;
  readonly realm: string;
  /** Gives a client what this port never gives: an optional scope, and a scope mapping of the realm or of another client. */
  addOptionalScope(id: string, scopeId: string): Promise<void>;
  mapScope(id: string, mapping: ScopeMapping): Promise<void>;
  close(): Promise<void>;
}

const SETTINGS: ClientSettings = {
  enabled: true,
  publicClient: true,
  standardFlow: true,
  implicitFlow: false,
  directAccessGrants: false,
  serviceAccounts: false,
  fullScope: false,
  redirectUris: ['https://one.example.org/*', 'https://two.example.org/*'],
  attributes: { 'evenkeel.dev/owner-uid': 'uid-1', 'pkce.code.challenge.method': 'S256' },
};

/** Client scopes of every new realm. */
const SCOPES = ['acr', 'basic'];

const MAPPER = {
  name: 'audience',
  mapper: 'oidc-audience-mapper',
  config: { 'included.client.audience': 'somebody', 'access.token.claim': 'true' },
};

/** What every identity provider does alike. */
export function describeIdentityProvider(name: string, start: () => Promise<IdentityProviderTarget>): void {
  describe(name, () => {
    let target: IdentityProviderTarget;
    let provider: IdentityProvider;
    let realm: string;
    let clients = 0;

    beforeAll(async () => {
      target = await start();
      ({ provider, realm } = target);
    });
    afterAll(async () => {
      await target?.close();
    });

    const newClient = async (settings: Partial<ClientSettings> = {}) => {
      clients += 1;
      const clientId = `client-${clients}`;
      const id = await provider.createClient(realm, {
        id: randomUUID(),
        clientId,
        settings: { ...SETTINGS, ...settings },
        mappers: [MAPPER],
        defaultScopes: SCOPES,
      });
      return { id, clientId };
    };
    const found = async (clientId: string) => {
      const client = await provider.findClient(realm, clientId);
      if (client === undefined) throw new Error(`${clientId} is not there`);
      return client;
    };
    const reasonOf = async (call: Promise<unknown>) => {
      const error: unknown = await call.then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (!(error instanceof IdentityError)) throw new Error(`expected an IdentityError, got ${String(error)}`);
      return error.reason;
    };

    it('R-3.7 finds a created client by its client id, with its settings, attributes and mappers', async () => {
      const { id, clientId } = await newClient();
      const client = await found(clientId);
      expect(client).toMatchObject({
        ...SETTINGS,
        id,
        clientId,
        redirectUris: expect.any(Array),
        attributes: expect.any(Object),
      });
      expect([...client.redirectUris].sort()).toEqual(SETTINGS.redirectUris);
      expect(client.attributes).toMatchObject(SETTINGS.attributes);
      expect(client.mappers).toMatchObject([MAPPER]);
    });

    it('R-3.7 an absent client is undefined, a realm that does not exist an error', async () => {
      expect(await provider.findClient(realm, 'nobody')).toBeUndefined();
      expect(await provider.findClient(realm, 'client')).toBeUndefined();
      expect(await reasonOf(provider.findClient('no-such-realm', 'nobody'))).toBe('NotFound');
    });

    it('R-3.7 R-1.20 a second client of the same client id is refused and changes nothing', async () => {
      const { clientId } = await newClient();
      const before = await found(clientId);
      const again = {
        id: randomUUID(),
        clientId,
        settings: { ...SETTINGS, enabled: false },
        mappers: [],
        defaultScopes: [],
      };
      expect(await reasonOf(provider.createClient(realm, again))).toBe('AlreadyExists');
      expect(await found(clientId)).toEqual(before);
    });

    it('R-3.9 a client gets the id that it is created with, which no update changes and no other client gets', async () => {
      const id = randomUUID();
      const client = { id, clientId: 'with-an-id', settings: SETTINGS, mappers: [MAPPER], defaultScopes: [] };
      expect(await provider.createClient(realm, client)).toBe(id);
      await provider.updateClient(realm, id, { ...SETTINGS, enabled: false });
      expect(await found('with-an-id')).toMatchObject({ id, enabled: false });
      const second = { ...client, clientId: 'with-the-same-id' };
      expect(await reasonOf(provider.createClient(realm, second))).toBe('AlreadyExists');
      expect(await provider.findClient(realm, 'with-the-same-id')).toBeUndefined();
      await provider.deleteClient(realm, id);
      expect(await provider.createClient(realm, client)).toBe(id);
    });

    it('R-1.13 an update changes what it names, and leaves other attributes and the mappers', async () => {
      const { id, clientId } = await newClient({ attributes: { ...SETTINGS.attributes, 'of.others': 'kept' } });
      const settings = { ...SETTINGS, redirectUris: ['https://three.example.org/*'], enabled: false };
      await provider.updateClient(realm, id, settings);
      const client = await found(clientId);
      expect(client).toMatchObject({ id, enabled: false, redirectUris: settings.redirectUris });
      expect(client.attributes).toMatchObject({ ...SETTINGS.attributes, 'of.others': 'kept' });
      expect(client.mappers).toMatchObject([MAPPER]);
      await provider.updateClient(realm, id, { ...settings, redirectUris: [] });
      expect((await found(clientId)).redirectUris).toEqual([]);
    });

    it('R-1.3 an update with what is there already reads back the same', async () => {
      const { id, clientId } = await newClient();
      const before = await found(clientId);
      await provider.updateClient(realm, id, SETTINGS);
      expect(await found(clientId)).toEqual(before);
    });

    it('R-3.7 deletes a client with its roles; deleting it again is success, updating it an error', async () => {
      const { id, clientId } = await newClient();
      await provider.createRole(realm, id, { name: 'admin', attributes: {} });
      await provider.deleteClient(realm, id);
      expect(await provider.findClient(realm, clientId)).toBeUndefined();
      await provider.deleteClient(realm, id);
      expect(await reasonOf(provider.updateClient(realm, id, SETTINGS))).toBe('NotFound');
      expect(await reasonOf(provider.listRoles(realm, id))).toBe('NotFound');
    });

    it('R-3.7 roles are created with their attributes, listed, refused when there, and deleted twice', async () => {
      const { id } = await newClient();
      const roles = [
        { name: 'admin', attributes: { 'evenkeel.dev/owner-uid': 'uid-1' } },
        { name: 'read only/äöü', attributes: {} },
      ];
      for (const role of roles) await provider.createRole(realm, id, role);
      expect(await reasonOf(provider.createRole(realm, id, { name: 'admin', attributes: {} }))).toBe('AlreadyExists');
      const listed = await provider.listRoles(realm, id);
      expect(listed.sort((left, right) => left.name.localeCompare(right.name))).toEqual(roles);
      await provider.deleteRole(realm, id, 'read only/äöü');
      await provider.deleteRole(realm, id, 'read only/äöü');
      expect(await provider.listRoles(realm, id)).toEqual([roles[0]]);
    });

    it('R-3.7 lists all roles of a client that has many', async () => {
      const { id } = await newClient();
      const names = Array.from({ length: 120 }, (_, index) => `role-${String(index).padStart(3, '0')}`);
      for (const name of names) await provider.createRole(realm, id, { name, attributes: {} });
      expect((await provider.listRoles(realm, id)).map(({ name }) => name).sort()).toEqual(names);
    });

    it('R-3.7 mappers are created, refused when there, and updated', async () => {
      const { id, clientId } = await newClient();
      const mapper = { ...MAPPER, name: 'second' };
      await provider.createMapper(realm, id, mapper);
      expect(await reasonOf(provider.createMapper(realm, id, mapper))).toBe('AlreadyExists');
      const second = (await found(clientId)).mappers.find((each) => each.name === 'second');
      if (second === undefined) throw new Error('the mapper is not there');
      const config = { ...second.config, 'included.client.audience': 'another' };
      await provider.updateMapper(realm, id, { ...second, config });
      const mappers = (await found(clientId)).mappers.toSorted((left, right) => left.name.localeCompare(right.name));
      expect(mappers).toMatchObject([MAPPER, { ...mapper, config }]);
    });

    it('R-3.8 a client has the full scope only when it is asked for, and an update takes it away', async () => {
      const { id, clientId } = await newClient({ fullScope: true });
      expect((await found(clientId)).fullScope).toBe(true);
      await provider.updateClient(realm, id, SETTINGS);
      expect((await found(clientId)).fullScope).toBe(false);
      const narrow = await newClient();
      expect((await found(narrow.clientId)).fullScope).toBe(false);
    });

    it('R-3.8 a mapper is deleted alone, and deleting it again is success', async () => {
      const { id, clientId } = await newClient();
      await provider.createMapper(realm, id, { ...MAPPER, name: 'second' });
      const second = (await found(clientId)).mappers.find(({ name }) => name === 'second');
      for (let time = 0; time < 2; time += 1) await provider.deleteMapper(realm, id, second?.id ?? '');
      expect((await found(clientId)).mappers).toMatchObject([MAPPER]);
      expect(await reasonOf(target.viewing.deleteMapper(realm, id, 'any'))).toBe('Forbidden');
    });

    it('R-3.8 a new client has the scopes that it is created with, instead of those of the realm', async () => {
      const { clientId } = await newClient();
      const client = await found(clientId);
      expect(client.defaultScopes.toSorted()).toEqual(SCOPES);
      expect(client.optionalScopes).toEqual([]);
      const bare = { id: randomUUID(), clientId: 'without-scopes', settings: SETTINGS, mappers: [] };
      await provider.createClient(realm, { ...bare, defaultScopes: ['nobody-made-this'] });
      expect(await found('without-scopes')).toMatchObject({ defaultScopes: [], optionalScopes: [] });
    });

    it.each(['default', 'optional'] as const)(
      'R-3.8 a scope is removed from a client when it is a %s one',
      async (kind) => {
        const { id, clientId } = await newClient();
        const scopeId = (await provider.listScopes(realm)).find(({ name }) => name === 'phone')?.id ?? '';
        if (kind === 'default') await provider.addDefaultScope(realm, id, scopeId);
        else await target.addOptionalScope(id, scopeId);
        const scopes = async () => {
          const { defaultScopes, optionalScopes } = await found(clientId);
          return { default: defaultScopes.toSorted(), optional: optionalScopes };
        };
        const given = { default: SCOPES, optional: [], [kind]: kind === 'default' ? [...SCOPES, 'phone'] : ['phone'] };
        expect(await scopes()).toEqual(given);
        await provider.addDefaultScope(realm, id, scopeId);
        expect(await scopes()).toEqual(given);
        for (let time = 0; time < 2; time += 1) await provider.removeScope(realm, id, scopeId);
        expect(await scopes()).toEqual({ default: SCOPES, optional: [] });
        await provider.updateClient(realm, id, SETTINGS);
        expect(await scopes()).toEqual({ default: SCOPES, optional: [] });
      },
    );

    it('R-3.8 a scope that is gone cannot be added, and counts as removed', async () => {
      const { id } = await newClient();
      expect(await reasonOf(provider.addDefaultScope(realm, id, randomUUID()))).toBe('NotFound');
      await provider.removeScope(realm, id, randomUUID());
    });

    it('R-3.8 scope mappings of the realm and of other clients are listed and deleted apart', async () => {
      const { id } = await newClient();
      const { id: other } = await newClient();
      expect(await provider.listScopeMappings(realm, id)).toEqual([]);
      await provider.createRole(realm, other, { name: 'theirs', attributes: {} });
      const mappings = [{ of: 'realm' }, { of: 'client', id: other }] as const;
      for (const mapping of mappings) await target.mapScope(id, mapping);
      expect(await provider.listScopeMappings(realm, id)).toEqual(mappings);
      for (let time = 0; time < 2; time += 1) await provider.deleteScopeMapping(realm, id, mappings[0]);
      expect(await provider.listScopeMappings(realm, id)).toEqual([mappings[1]]);
      await provider.deleteScopeMapping(realm, id, mappings[1]);
      expect(await provider.listScopeMappings(realm, id)).toEqual([]);
      expect(await reasonOf(provider.listScopeMappings(realm, randomUUID()))).toBe('NotFound');
    });

    it('R-3.8 R-3.10 no scope or scope mapping is changed by an account that may only view clients', async () => {
      const { id } = await newClient();
      const [scope] = await provider.listScopes(realm);
      expect(await target.viewing.listScopes(realm)).toEqual(await provider.listScopes(realm));
      expect(await target.querying.listScopes(realm)).toEqual([]);
      expect(await reasonOf(target.viewing.addDefaultScope(realm, id, scope?.id ?? ''))).toBe('Forbidden');
      expect(await reasonOf(target.viewing.removeScope(realm, id, scope?.id ?? ''))).toBe('Forbidden');
      expect(await reasonOf(target.viewing.deleteScopeMapping(realm, id, { of: 'realm' }))).toBe('Forbidden');
    });

    it('R-3.7 R-1.24 unknown credentials are Unauthorized, and the message holds neither secret nor answer', async () => {
      const error = await target.stranger.findClient(realm, 'nobody').catch((caught: unknown) => caught);
      expect(error).toMatchObject({ reason: 'Unauthorized' });
      expect(String(error)).not.toMatch(/invalid_client|wrong/i);
    });

    it('R-3.7 credentials without permission are Forbidden', async () => {
      expect(await reasonOf(target.powerless.findClient(realm, 'nobody'))).toBe('Forbidden');
    });

    it.each(['querying', 'powerless'] as const)(
      'R-3.10 findClient reports no absence, and nothing is changed, when the account is %s',
      async (account) => {
        const { id, clientId } = await newClient();
        const before = await found(clientId);
        for (const wanted of [clientId, 'nobody']) {
          expect(await reasonOf(target[account].findClient(realm, wanted))).toBe('Forbidden');
        }
        expect(await reasonOf(target[account].deleteClient(realm, id))).toBe('Forbidden');
        expect(await reasonOf(target[account].updateClient(realm, id, SETTINGS))).toBe('Forbidden');
        const client = {
          id: randomUUID(),
          clientId: 'of-a-weak-account',
          settings: SETTINGS,
          mappers: [],
          defaultScopes: [],
        };
        expect(await reasonOf(target[account].createClient(realm, client))).toBe('Forbidden');
        expect(await found(clientId)).toEqual(before);
      },
    );

    it('R-3.10 listRoles answers an account that may query clients, and refuses one that may do nothing', async () => {
      const { id } = await newClient();
      await provider.createRole(realm, id, { name: 'admin', attributes: {} });
      expect(await target.querying.listRoles(realm, id)).toEqual([{ name: 'admin', attributes: {} }]);
      expect(await reasonOf(target.powerless.listRoles(realm, id))).toBe('Forbidden');
    });

    it('R-3.10 findClient reports a client and an absence when the account may view and not change', async () => {
      const { id, clientId } = await newClient();
      expect(await target.viewing.findClient(realm, clientId)).toEqual(await found(clientId));
      expect(await target.viewing.findClient(realm, 'nobody')).toBeUndefined();
      expect(await reasonOf(target.viewing.deleteClient(realm, id))).toBe('Forbidden');
      expect(await reasonOf(target.viewing.findClient('no-such-realm', 'nobody'))).toBe('NotFound');
    });

    it('R-3.7 an aborted call ends at once as a time-out', async () => {
      const aborted = AbortSignal.abort(new Error('enough'));
      expect(await reasonOf(provider.findClient(realm, 'nobody', { signal: aborted }))).toBe('Timeout');
    });
  });
}
