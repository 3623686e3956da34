import type { KeycloakCredentials } from '../keycloak/access-token.ts';

/** The service account of the stand-in, which serves this machine alone. No secret: whoever reaches it may use it. */
export const LOCAL_IDENTITY = {
  realm: 'master',
  clientId: 'evenkeel',
  clientSecret: 'local',
} satisfies KeycloakCredentials;

/** The realms that Gateways may name there. */
export const LOCAL_REALMS: readonly string[] = ['demo'];
