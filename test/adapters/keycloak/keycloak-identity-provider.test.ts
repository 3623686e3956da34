import { afterEach, describe, expect, it } from 'vitest';
import { KeycloakIdentityProvider } from '../../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../../../lib/adapters/keycloak/keycloak-transport.ts';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { listenStandIn } from '../../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import type { StandInFault } from '../../../lib/adapters/keycloak/stand-in/stand-in-fault.ts';
import { IdentityError } from '../../../lib/ports/identity-provider.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const CREDENTIALS = { realm: 'master', clientId: 'evenkeel', clientSecret: 'hunter2' };

function standIn(tokenLifeSeconds = 60) {
  const clock = new ManualClock();
  let ids = 0;
  const keycloak = new KeycloakStandIn({
    clock,
    newId: () => `id-${++ids}`,
    credentials: CREDENTIALS,
    realms: ['shop'],
    tokenLifeSeconds,
  });
  const provider = new KeycloakIdentityProvider({
    server: 'http://stand-in',
    credentials: CREDENTIALS,
    transport: keycloak,
    clock,
  });
  const tokens = () => keycloak.requests.filter(({ path }) => path.endsWith('/token')).length;
  return { clock, keycloak, provider, tokens };
}

function keepClient(keycloak: KeycloakStandIn): void {
  keycloak.realms.get('shop')?.clients.set('id-a', {
    id: 'id-a',
    clientId: 'a',
    attributes: {},
    protocolMappers: [],
    defaultClientScopes: [],
    optionalClientScopes: [],
  });
}

const inRealm = ({ path }: { path: string }) => path.startsWith('/admin');

async function errorOf(call: Promise<unknown>): Promise<IdentityError> {
  const error: unknown = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error instanceof IdentityError) return error;
  throw new Error(`expected an IdentityError, got ${String(error)}`);
}

describe('the access token', () => {
  it('R-1.10 a change is not sent when its caller stops it, after the wait for a token', async () => {
    const { keycloak, provider, tokens } = standIn();
    keepClient(keycloak);
    const refused = new Error('the lease is over');
    const beforeSend = () => {
      if (tokens() > 0) throw refused;
    };
    await expect(provider.deleteClient('shop', 'id-a', { beforeSend })).rejects.toBe(refused);
    expect(keycloak.requests.filter(inRealm)).toEqual([]);
    expect(tokens()).toBe(1);
  });

  it('R-3.7 the token is fetched once for concurrent calls, and renewed before it expires', async () => {
    const { clock, provider, tokens } = standIn(60);
    await Promise.all([1, 2, 3].map(() => provider.findClient('shop', 'nobody')));
    expect(tokens()).toBe(1);
    await clock.advance(49_000);
    await provider.findClient('shop', 'nobody');
    expect(tokens()).toBe(1);
    await clock.advance(2_000);
    await provider.findClient('shop', 'nobody');
    expect(tokens()).toBe(2);
  });

  it.each([-600_000, -3_600_000])(
    'R-1.29 the token is renewed in time when the clock is set by %i ms',
    async (stepMs) => {
      const { clock, provider, tokens } = standIn(60);
      await provider.findClient('shop', 'nobody');
      clock.step(stepMs);
      await clock.advance(49_000);
      await provider.findClient('shop', 'nobody');
      expect(tokens()).toBe(1);
      await clock.advance(2_000);
      await provider.findClient('shop', 'nobody');
      expect(tokens()).toBe(2);
    },
  );

  it('R-3.7 a token with a short life is renewed at half its life', async () => {
    const { clock, provider, tokens } = standIn(10);
    await provider.findClient('shop', 'nobody');
    await clock.advance(5_500);
    await provider.findClient('shop', 'nobody');
    expect(tokens()).toBe(2);
  });

  it('R-3.7 a refused token is renewed, and the request, which had no effect, is repeated once', async () => {
    const { keycloak, provider, tokens } = standIn();
    await provider.findClient('shop', 'nobody');
    keycloak.revokeTokens();
    expect(await provider.findClient('shop', 'nobody')).toBeUndefined();
    expect(tokens()).toBe(2);
    keycloak.faults.inject({ match: inRealm, fault: { status: 401 } });
    const before = keycloak.requests.length;
    expect((await errorOf(provider.findClient('shop', 'nobody'))).reason).toBe('Unauthorized');
    expect(keycloak.requests.slice(before).map(({ path }) => path.split('/')[1])).toEqual(['admin', 'realms', 'admin']);
  });

  it.each([
    ['findClient', 'none', 'view-clients'],
    ['findClient', 'query-clients', 'manage-clients'],
    ['deleteClient', 'view-clients', 'manage-clients'],
  ] as const)(
    'R-3.10 %s is repeated once with a fresh token when the account had %s at the time of the old one',
    async (method, before, after) => {
      const { keycloak, provider, tokens } = standIn();
      keepClient(keycloak);
      keycloak.rights = before;
      expect((await errorOf(provider[method]('shop', 'id-a'))).reason).toBe('Forbidden');
      keycloak.rights = after;
      const known = tokens();
      expect(await provider[method]('shop', 'id-a')).toBeUndefined();
      expect(tokens()).toBe(known + 1);
    },
  );

  it('R-3.10 a right that is granted during a search hides no client', async () => {
    const { keycloak, provider } = standIn();
    keepClient(keycloak);
    keycloak.rights = 'query-clients';
    const match = ({ path }: { path: string }) => {
      // The token of this request is older.
      if (path.endsWith('/clients')) keycloak.rights = 'view-clients';
      return false;
    };
    keycloak.faults.inject({ match, fault: { hang: true } });
    expect(await provider.findClient('shop', 'a')).toMatchObject({ id: 'id-a' });
  });

  it.each([
    ['no JSON', { status: 200, body: 'hello' }, 'Malformed'],
    ['a token that is none', { status: 200, body: '{"access_token": 7}' }, 'Malformed'],
    ['500', { status: 500, body: 'stack trace with hunter2' }, 'ServerError'],
    ['400', { status: 400, body: '{"error":"unauthorized_client"}' }, 'Invalid'],
  ])('R-3.7 R-1.24 a token endpoint that answers with %s is reported without its text', async (_, fault, reason) => {
    const { keycloak, provider } = standIn();
    keycloak.faults.inject({ match: ({ path }) => path.endsWith('/token'), fault });
    const error = await errorOf(provider.findClient('shop', 'nobody'));
    expect(error.reason).toBe(reason);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('hunter2');
  });
});

describe('a call', () => {
  it('R-3.7 a call ends after ten seconds, the request for a token included', async () => {
    for (const match of [inRealm, ({ path }: { path: string }) => path.endsWith('/token')]) {
      const { clock, keycloak, provider } = standIn();
      keycloak.faults.inject({ match, fault: { hang: true } });
      const call = errorOf(provider.findClient('shop', 'nobody'));
      await clock.advance(9_999);
      await clock.advance(1);
      expect((await call).reason).toBe('Timeout');
    }
  });

  it('R-3.7 a call ends when the pass ends', async () => {
    const { keycloak, provider } = standIn();
    keycloak.faults.inject({ match: inRealm, fault: { hang: true } });
    const pass = new AbortController();
    const call = errorOf(provider.findClient('shop', 'nobody', { signal: pass.signal }));
    pass.abort(new Error('the pass is over'));
    expect((await call).reason).toBe('Timeout');
  });

  const ANSWERS: [string, StandInFault, string, number | undefined][] = [
    ['403', { status: 403 }, 'Forbidden', undefined],
    ['409', { status: 409 }, 'AlreadyExists', undefined],
    ['429', { status: 429, headers: { 'retry-after': '7' } }, 'TooManyRequests', 7_000],
    ['503', { status: 503, headers: { 'retry-after': '30' } }, 'ServerError', 30_000],
    ['HTML', { status: 200, body: '<html>hunter2</html>' }, 'Malformed', undefined],
    ['another shape', { status: 200, body: '[{"id": 7}]' }, 'Malformed', undefined],
    ['a redirect', { status: 302, headers: { location: 'http://elsewhere' } }, 'Malformed', undefined],
    ['nothing', { dropResponse: true }, 'Unreachable', undefined],
  ];
  it.each(ANSWERS)(
    'R-3.7 R-1.24 a call answered with %s has that error, with the delay that the server asks for',
    async (_, fault, reason, retryAfterMs) => {
      const { keycloak, provider } = standIn();
      keycloak.faults.inject({ match: inRealm, fault });
      const error = await errorOf(provider.findClient('shop', 'nobody'));
      expect([error.reason, error.retryAfterMs]).toEqual([reason, retryAfterMs]);
      expect(error.message).not.toMatch(/hunter2|elsewhere/);
    },
  );

  it('R-3.7 an answer to a creation is malformed when it does not name the client', async () => {
    const { keycloak, provider } = standIn();
    keycloak.faults.inject({
      match: (request) => request.method === 'POST' && inRealm(request),
      fault: { status: 201 },
    });
    const settings = {
      enabled: true,
      publicClient: true,
      standardFlow: true,
      implicitFlow: false,
      directAccessGrants: false,
      serviceAccounts: false,
      fullScope: false,
      redirectUris: [],
      attributes: {},
    };
    const create = provider.createClient('shop', {
      id: 'id-a',
      clientId: 'a',
      settings,
      mappers: [],
      defaultScopes: [],
    });
    expect((await errorOf(create)).reason).toBe('Malformed');
  });

  it('R-3.7 a realm, a client and a role may have any name', async () => {
    const { keycloak, provider } = standIn();
    await errorOf(provider.findClient('a/../b?c', 'd&e=f'));
    expect(keycloak.requests.at(-1)?.path).toBe('/admin/realms/a%2F..%2Fb%3Fc/clients');
  });
});

describe('over HTTP', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it('R-3.7 a missing server is Unreachable, and a redirect is not followed', async () => {
    const { keycloak, clock } = standIn();
    const server = await listenStandIn(keycloak);
    const transport = new HttpKeycloakTransport(server.url);
    closing.push(() => transport.close());
    const provider = new KeycloakIdentityProvider({ server: server.url, credentials: CREDENTIALS, transport, clock });
    const seen: string[] = [];
    keycloak.faults.inject({
      match: ({ path }) => {
        seen.push(path);
        return inRealm({ path });
      },
      fault: { status: 302, headers: { location: `${server.url}/elsewhere` } },
    });
    expect((await errorOf(provider.findClient('shop', 'nobody'))).reason).toBe('Malformed');
    expect(seen.filter((path) => path.includes('elsewhere'))).toEqual([]);
    await server.close();
    expect((await errorOf(provider.findClient('shop', 'nobody'))).reason).toBe('Unreachable');
  });

  it('the stand-in refuses a web page whose host name points to this machine', async () => {
    const { keycloak } = standIn();
    const server = await listenStandIn(keycloak);
    closing.push(() => server.close());
    const transport = new HttpKeycloakTransport(server.url);
    closing.push(() => transport.close());
    const signal = new AbortController().signal;
    const send = (host: string) => transport.send({ method: 'GET', path: '/', headers: { host }, signal });
    expect((await send('evil.example')).status).toBe(403);
    expect((await send('localhost:80')).status).toBe(404);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });
});
