import type { IdentityProvider } from '../../../ports/identity-provider.ts';
import type { GatewayPermissions } from './permissions.ts';

/** Without `realms` and `routes` no Gateway gets a client or a route. */
export interface GatewaySettings extends GatewayPermissions {
  /** Absent: a Gateway that asks for a client gets IdentityNotConfigured. */
  readonly identity?: IdentityProvider | undefined;
  /**
   * The server and the account that the settings name. Every process has it, also one that runs no passes and so has no
   * `identity`.
   */
  readonly identityAccount?: IdentityAccount | undefined;
  /** The parent of all routes. Absent: a Gateway that asks for a route gets RouteNotConfigured. */
  readonly parentGateway?:
    | { readonly namespace: string; readonly name: string; readonly sectionName?: string | undefined }
    | undefined;
  /** A new password, unguessable: at least 128 bits of the machine's cryptographic randomness, in letters and digits. */
  readonly newPassword: () => string;
  /** A new seed for the proofs of an owner's objects; as unguessable as a password, and different at each call. */
  readonly newSeed: () => string;
  /** The interval in which a client is read again, because no event reports its changes; 10 minutes by default. */
  readonly identityCheckMs?: number;
}

export interface IdentityAccount {
  readonly server: string;
  readonly realm: string;
  readonly clientId: string;
}

export const DEFAULT_IDENTITY_CHECK_MS = 600_000;

/** The settings that affect Gateways. They are part of the controller's version. The account's secret is left out. */
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
