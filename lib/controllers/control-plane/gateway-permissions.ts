import type { GatewayPermissions } from './gateway/permissions.ts';
import type { Section } from './settings-section.ts';

/**
 * What Gateways may ask for when the settings name no identity server. `evenkeel start` then has a stand-in, which serves
 * only this machine. Elsewhere no client is created at all.
 */
const STAND_IN_REALMS = [{ namespaces: ['*'], realms: ['demo'], redirectHosts: ['*.example.org', '*.example.com'] }];

/** What the settings permit for the Gateways of each namespace. */
export function gatewayPermissions({ routes, identity }: Section): GatewayPermissions {
  return { routes, realms: identity?.realms ?? STAND_IN_REALMS, identityAccount: identity };
}
