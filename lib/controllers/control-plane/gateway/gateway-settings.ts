import type { IdentityProvider } from '../../../ports/identity-provider.ts';

export interface GatewaySettings {
  /** Absent: a Gateway that asks for a client says IdentityNotConfigured. */
  readonly identity?: IdentityProvider | undefined;
  /** The parent of all routes. Absent: a Gateway that asks for a route says RouteNotConfigured. */
  readonly parentGateway?:
    | { readonly namespace: string; readonly name: string; readonly sectionName?: string | undefined }
    | undefined;
  /** A new password, unguessable: at least 128 bits of the machine's cryptographic randomness, in letters and digits. */
  readonly newPassword: () => string;
  /** How often a client is looked at again, since no event tells of its changes; 10 minutes by default. */
  readonly identityCheckMs?: number;
}

export const DEFAULT_IDENTITY_CHECK_MS = 600_000;
