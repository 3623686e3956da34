import type { KeycloakCredentials } from '../../adapters/keycloak/access-token.ts';
import { KeycloakIdentityProvider } from '../../adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../../adapters/keycloak/keycloak-transport.ts';
import { localIdentityCredentials } from '../../adapters/keycloak/stand-in-account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { ClientPorts, ConnectedClients, ControllerGroup } from '../group.ts';
import { checkGateways } from './check-gateways.ts';
import { checkTakeOver } from './check-take-over.ts';
import { permissions } from './cluster-permissions.ts';
import { controlPlaneControllers } from './control-plane-controllers.ts';
import { gatewayPermissions } from './gateway-permissions.ts';
import { certificateAuthorities, clientSecretOfFile, clientSecretOfStage } from './identity-account.ts';
import { Gateways, ManagedDatabases } from './kinds.ts';
import { ownRealmMistakes } from './own-realm.ts';
import { type Section, section } from './settings-section.ts';

const CLIENT_SECRET = 'identity-client';

export const controlPlane: ControllerGroup<Section, IdentityProvider> = {
  name: 'control-plane',
  about:
    'Runs Gateways, each with its database, its route and its identity client, in namespaces that it makes for them.',
  pages: ['docs/controllers/gateway.md', 'docs/controllers/managed-database.md', 'docs/controllers/namespace-gc.md'],
  kinds: [{ type: Gateways }, { type: ManagedDatabases }],
  section,
  mistakes: ownRealmMistakes,
  files: [
    { path: ['identity', 'caFile'], inCloud: 'a deployment has no files. Write the certificates in ca.' },
    {
      path: ['identity', 'clientSecretFile'],
      inCloud: 'a cloud deployment reads the secret from Secrets Manager. Remove it.',
    },
  ],
  secrets: [
    {
      name: CLIENT_SECRET,
      what: "the secret of evenkeel's service account on the identity server",
      why: 'Opens the identity server, to make the clients of Gateways',
      madeBy: 'operator',
      statement: 'ReadIdentitySecret',
      file: ['identity', 'clientSecretFile'],
      isNeeded: ({ identity }: Section) => identity !== undefined,
    },
  ],
  clients: {
    reads: ['findClient', 'listRoles', 'listScopes', 'listScopeMappings'] satisfies (keyof IdentityProvider)[],
    // Without an identity server in the settings, clients are created in the stand-in.
    needsStandIn: ({ identity }) => identity === undefined,
    connect: connectIdentity,
  },
  permissions,
  checks: { cluster: checkGateways, inventory: (_section, inventory) => checkTakeOver(inventory) },
  controllers(settings, { clients, newPassword }) {
    const { parentGateway, identity } = settings;
    return controlPlaneControllers({
      ...gatewayPermissions(settings),
      identity: clients,
      identityAccount: identity,
      parentGateway,
      newPassword,
      // A seed must be as unguessable as a password.
      newSeed: newPassword,
      ...(identity !== undefined && { identityCheckMs: identity.check }),
    });
  },
};

/** The identity server of the settings, or else the stand-in that runs with the embedded parts. */
function connectIdentity(
  { identity }: Section,
  { clock, readText, stageSecret, standIn }: ClientPorts,
): ConnectedClients<IdentityProvider> | undefined {
  if (identity === undefined) {
    return standIn && connect(standIn.server, localIdentityCredentials(standIn.token), undefined, clock);
  }
  const { server, realm, clientId } = identity;
  const clientSecret =
    stageSecret === undefined
      ? clientSecretOfFile(identity, readText)
      : clientSecretOfStage(identity, stageSecret(CLIENT_SECRET));
  return connect(server, { realm, clientId, clientSecret }, certificateAuthorities(identity, readText), clock);
}

function connect(
  server: string,
  credentials: KeycloakCredentials,
  authorities: string | undefined,
  clock: Clock,
): ConnectedClients<IdentityProvider> {
  const transport = new HttpKeycloakTransport(server, authorities);
  const provider = new KeycloakIdentityProvider({ server, credentials, transport, clock });
  return { clients: provider, close: () => transport.close() };
}
