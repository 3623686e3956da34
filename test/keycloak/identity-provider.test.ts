import { KeycloakIdentityProvider } from '../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../../lib/adapters/keycloak/keycloak-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { ScopeMapping } from '../../lib/ports/identity-provider.ts';
import { describeIdentityProvider } from '../contract/identity-provider.contract.ts';
import { KeycloakAdmin } from './keycloak-admin.ts';
import { prepareRealm } from './prepare-realm.ts';
import { startKeycloak } from './start-keycloak.ts';

const realKeycloak = async () => {
  const keycloak = await startKeycloak();
  const realm = 'shop';
  const admin = new KeycloakAdmin(keycloak);
  const accounts = await prepareRealm(admin, realm);
  const transport = new HttpKeycloakTransport(keycloak.url);
  // The first requests of a cold server may take longer than a busy machine should allow in production.
  const options = { server: keycloak.url, transport, clock: new SystemClock(), timeoutMs: 60_000 };
  return {
    // With the rights that the documentation asks for, and no others.
    provider: new KeycloakIdentityProvider({ ...options, credentials: accounts.managing }),
    stranger: new KeycloakIdentityProvider({
      ...options,
      credentials: { ...accounts.managing, clientSecret: 'wrong' },
    }),
    powerless: new KeycloakIdentityProvider({ ...options, credentials: accounts.powerless }),
    querying: new KeycloakIdentityProvider({ ...options, credentials: accounts.querying }),
    viewing: new KeycloakIdentityProvider({ ...options, credentials: accounts.viewing }),
    realm,
    addOptionalScope: async (id: string, scopeId: string) => {
      await admin.call('PUT', `/${realm}/clients/${id}/optional-client-scopes/${scopeId}`);
    },
    mapScope: async (id: string, mapping: ScopeMapping) => {
      const rolesPath = mapping.of === 'realm' ? `/${realm}/roles` : `/${realm}/clients/${mapping.id}/roles`;
      const roles = (await admin.call('GET', rolesPath)) as object[];
      const into = mapping.of === 'realm' ? 'realm' : `clients/${mapping.id}`;
      await admin.call('POST', `/${realm}/clients/${id}/scope-mappings/${into}`, roles);
    },
    close: async () => {
      await transport.close();
      await keycloak.stop();
    },
  };
};

describeIdentityProvider('a real Keycloak', realKeycloak);
