import { randomUUID } from 'node:crypto';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { type ListeningStandIn, listenStandIn } from '../../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { stageSecretName } from '../../../lib/deployment/cloud/cloud-names.ts';
import type { CloudWorld } from './cloud-world.ts';
import { STAGE } from './cloud-world.ts';

const ACCOUNT = { realm: 'master', clientId: 'evenkeel' };

/** The section for the group, from examples/control-plane. */
const SECTION = (server: string) => `    control-plane:
      parentGateway: { namespace: edge, name: public }
      routes: [{ namespaces: [hypershell], hosts: [shell.example.org] }]
      identity:
        server: ${server}
        realm: ${ACCOUNT.realm}
        clientId: ${ACCOUNT.clientId}
        realms: [{ namespaces: [hypershell], realms: [demo], redirectHosts: [shell.example.org] }]
`;

/** The stand-in for Keycloak. Functions reach it like a real server. */
export class IdentityServer implements AsyncDisposable {
  readonly keycloak: KeycloakStandIn;
  /** The secret of its account. No log may contain it. */
  readonly secret: string;
  readonly #listening: ListeningStandIn;

  private constructor(keycloak: KeycloakStandIn, secret: string, listening: ListeningStandIn) {
    this.keycloak = keycloak;
    this.secret = secret;
    this.#listening = listening;
  }

  /** Adds the group control-plane to the stage, and the secret of its account to Secrets Manager. */
  static async start(world: CloudWorld): Promise<IdentityServer> {
    const clientSecret = randomUUID();
    const credentials = { ...ACCOUNT, clientSecret };
    const clock = new SystemClock();
    const keycloak = new KeycloakStandIn({ clock, newId: () => randomUUID(), credentials, realms: ['demo'] });
    const listening = await listenStandIn(keycloak);
    world.copy.edit('stages/emulator.yml', '  groups:\n', `  groups:\n${SECTION(listening.url)}`);
    await world.aws.json('secretsmanager', 'secretsmanager.CreateSecret', {
      Name: stageSecretName(STAGE, 'identity-client'),
      SecretString: clientSecret,
    });
    return new IdentityServer(keycloak, clientSecret, listening);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening.close();
  }
}
