import type { KeycloakCredentials } from './access-token.ts';

/** The service account of the stand-in. Its secret is the token of the process that serves the stand-in. */
export function localIdentityCredentials(token: string | undefined): KeycloakCredentials & { clientSecret: string } {
  return { realm: 'master', clientId: 'evenkeel', clientSecret: token ?? 'local' };
}

/** The realms that Gateways may use in the stand-in. */
export const LOCAL_REALMS: readonly string[] = ['demo'];
