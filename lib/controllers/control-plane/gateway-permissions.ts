import type { GatewayPermissions } from './gateway/permissions.ts';
import type { Section } from './settings-section.ts';

/**
 * What Gateways may ask for where no identity server is named. `evenkeel start` has a stand-in then, which serves this machine
 * alone; elsewhere no client is made at all.
 */
const STAND_IN_REALMS = [{ namespaces: ['*'], realms: ['demo'], redirectHosts: ['*.example.org', '*.example.com'] }];

/** What the settings permit to the Gateways of each namespace. */
export function gatewayPermissions({ routes, identity }: Section): GatewayPermissions {
  return { routes, realms: identity?.realms ?? STAND_IN_REALMS, identityAccount: identity };
}
