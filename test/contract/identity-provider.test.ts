import { randomUUID } from 'node:crypto';
import { KeycloakIdentityProvider } from '../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../../lib/adapters/keycloak/keycloak-transport.ts';
import { KeycloakStandIn } from '../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { listenStandIn } from '../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { ScopeMapping } from '../../lib/ports/identity-provider.ts';
import { describeIdentityProvider } from './identity-provider.contract.ts';

const clock = new SystemClock();
const credentials = { realm: 'master', clientId: 'evenkeel', clientSecret: 's%cret:/ü' };
const stranger = { ...credentials, clientSecret: 'wrong' };

const account = (name: string) => ({ realm: 'master', clientId: name, clientSecret: `secret of ${name}` });
const powerless = account('powerless');
const querying = account('querying');
const viewing = account('viewing');

function newStandIn(): KeycloakStandIn {
  const accounts = [
    { credentials: powerless, rights: 'none' },
    { credentials: querying, rights: 'query-clients' },
    { credentials: viewing, rights: 'view-clients' },
  ] as const;
  return new KeycloakStandIn({ clock, newId: randomUUID, credentials, accounts, realms: ['shop'] });
}

/** Adds to a client what only somebody else adds, without using the API. */
function meddler(standIn: KeycloakStandIn) {
  const realm = standIn.realms.get('shop')!;
  return {
    addOptionalScope: async (id: string, scopeId: string) => {
      realm.clients.get(id)!.optionalClientScopes.push(realm.scopes.get(scopeId)!.name);
    },
    mapScope: async (id: string, mapping: ScopeMapping) => {
      realm.mappingsOf(id).set(mapping.of === 'realm' ? 'realm' : mapping.id, new Set(['theirs']));
    },
  };
}

describeIdentityProvider('the Keycloak stand-in in process', async () => {
  const transport = newStandIn();
  const options = { server: 'http://stand-in', transport, clock };
  return {
    ...meddler(transport),
    provider: new KeycloakIdentityProvider({ ...options, credentials }),
    stranger: new KeycloakIdentityProvider({ ...options, credentials: stranger }),
    powerless: new KeycloakIdentityProvider({ ...options, credentials: powerless }),
    querying: new KeycloakIdentityProvider({ ...options, credentials: querying }),
    viewing: new KeycloakIdentityProvider({ ...options, credentials: viewing }),
    realm: 'shop',
    close: async () => undefined,
  };
});

describeIdentityProvider('the Keycloak stand-in over HTTP', async () => {
  const standIn = newStandIn();
  const server = await listenStandIn(standIn);
  const transport = new HttpKeycloakTransport(server.url);
  const options = { server: server.url, transport, clock };
  return {
    ...meddler(standIn),
    provider: new KeycloakIdentityProvider({ ...options, credentials }),
    stranger: new KeycloakIdentityProvider({ ...options, credentials: stranger }),
    powerless: new KeycloakIdentityProvider({ ...options, credentials: powerless }),
    querying: new KeycloakIdentityProvider({ ...options, credentials: querying }),
    viewing: new KeycloakIdentityProvider({ ...options, credentials: viewing }),
    realm: 'shop',
    close: async () => {
      await transport.close();
      await server.close();
    },
  };
});
