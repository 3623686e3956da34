import type { KeycloakAdmin, ServiceAccount } from './keycloak-admin.ts';

/** Service accounts by what they may do with the clients of the realm. */
export interface RealmAccounts {
  /** May log in and do nothing. */
  readonly powerless: ServiceAccount;
  /** Has `query-clients` alone. */
  readonly querying: ServiceAccount;
  /** Has `view-clients` alone. */
  readonly viewing: ServiceAccount;
  /** Has `manage-clients` alone, as the documentation asks. */
  readonly managing: ServiceAccount;
}

/** Makes a realm and service accounts with fewer rights than those of the administrator. */
export async function prepareRealm(admin: KeycloakAdmin, realm: string): Promise<RealmAccounts> {
  await admin.call('POST', '', { realm, enabled: true });
  const account = async (clientId: string, ...roles: readonly string[]): Promise<ServiceAccount> => {
    const made = await admin.newAccount(clientId);
    if (roles.length > 0) await admin.setRoles('POST', made, realm, roles);
    return made;
  };
  return {
    powerless: await account('powerless'),
    querying: await account('querying', 'query-clients'),
    viewing: await account('viewing', 'view-clients'),
    managing: await account('managing', 'manage-clients'),
  };
}
