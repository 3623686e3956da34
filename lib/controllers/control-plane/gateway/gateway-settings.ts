import type { IdentityProvider } from '../../../ports/identity-provider.ts';
import type { GatewayPermissions } from './permissions.ts';

/** Without `realms` and `routes` no Gateway gets a client or a route. */
export interface GatewaySettings extends GatewayPermissions {
  /** Absent: a Gateway that asks for a client says IdentityNotConfigured. */
  readonly identity?: IdentityProvider | undefined;
  /**
   * Which server that is, and whose account there is used, as the settings name them: every process knows this, also those
   * that run no passes and therefore have no `identity`.
   */
  readonly identityAccount?: IdentityAccount | undefined;
  /** The parent of all routes. Absent: a Gateway that asks for a route says RouteNotConfigured. */
  readonly parentGateway?:
    | { readonly namespace: string; readonly name: string; readonly sectionName?: string | undefined }
    | undefined;
  /** A new password, unguessable: at least 128 bits of the machine's cryptographic randomness, in letters and digits. */
  readonly newPassword: () => string;
  /** What the proofs of an owner's objects are made of: as unguessable, and another at each call. */
  readonly newSeed: () => string;
  /** How often a client is looked at again, since no event tells of its changes; 10 minutes by default. */
  readonly identityCheckMs?: number;
}

export interface IdentityAccount {
  readonly server: string;
  readonly realm: string;
  readonly clientId: string;
}

export const DEFAULT_IDENTITY_CHECK_MS = 600_000;

/** The settings that decide about Gateways: they are part of the controller's version. The account's secret is left out. */
export function settingsInVersion({
  parentGateway,
  realms,
  routes,
  identityAccount: account,
  identityCheckMs = DEFAULT_IDENTITY_CHECK_MS,
}: GatewaySettings): object {
  return {
    parentGateway,
    realms,
    routes,
    identity: account && { server: account.server, realm: account.realm, clientId: account.clientId },
    identityCheckMs,
  };
}
