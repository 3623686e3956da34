import { KeycloakIdentityProvider } from '../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../../lib/adapters/keycloak/keycloak-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { describeIdentityProvider } from '../contract/identity-provider.contract.ts';
import { prepareRealm } from './prepare-realm.ts';
import { startKeycloak } from './start-keycloak.ts';

const realKeycloak = async () => {
  const keycloak = await startKeycloak();
  const realm = 'shop';
  const accounts = await prepareRealm(keycloak, realm);
  const transport = new HttpKeycloakTransport(keycloak.url);
  const { credentials } = keycloak;
  // The first requests of a cold server may take longer than a busy machine should allow in production.
  const options = { server: keycloak.url, transport, clock: new SystemClock(), timeoutMs: 60_000 };
  return {
    provider: new KeycloakIdentityProvider({ ...options, credentials }),
    stranger: new KeycloakIdentityProvider({
      ...options,
      credentials: { ...credentials, clientSecret: 'wrong' },
    }),
    powerless: new KeycloakIdentityProvider({ ...options, credentials: accounts.powerless }),
    querying: new KeycloakIdentityProvider({ ...options, credentials: accounts.querying }),
    viewing: new KeycloakIdentityProvider({ ...options, credentials: accounts.viewing }),
    realm,
    close: async () => {
      await transport.close();
      await keycloak.stop();
    },
  };
};

describeIdentityProvider('a real Keycloak', realKeycloak);
