import type { Clock } from '../ports/clock.ts';
import { IdentityError, type IdentityProvider } from '../ports/identity-provider.ts';
import type { SecretStore } from '../ports/secret-store.ts';
import type { CloudEnvironment } from './cloud/cloud-environment.ts';
import { identityClientSecret } from './cloud/cloud-names.ts';
import type { Settings } from './settings/settings-schema.ts';
import { connectIdentity } from './wiring-identity.ts';

/** Only the function that runs the passes of the group may read its secret. */
const GROUP = 'control-plane';

/**
 * The identity server of the settings; undefined where none is named, and in functions that make no clients. Its secret is
 * read for each token, so that one that was changed needs no deployment.
 */
export function cloudIdentity(
  { EVENKEEL_STAGE, EVENKEEL_IDENTITY }: Pick<CloudEnvironment, 'EVENKEEL_STAGE' | 'EVENKEEL_IDENTITY'>,
  settings: Settings,
  secrets: SecretStore,
  clock: Clock,
): IdentityProvider | undefined {
  const named = settings.groups[GROUP]?.identity;
  if (named === undefined || EVENKEEL_IDENTITY !== GROUP) return undefined;
  const name = identityClientSecret(EVENKEEL_STAGE);
  const clientSecret = async () => {
    const text = (await readSecret(secrets, name))?.trim();
    if (text !== undefined && text !== '') return text;
    throw new IdentityError(
      'Unauthorized',
      `there is no secret ${name} in Secrets Manager, or it is empty. Make it, with the secret of client ${named.clientId} on ${named.server}.`,
    );
  };
  return connectIdentity(named, clientSecret, clock).provider;
}

async function readSecret(secrets: SecretStore, name: string): Promise<string | undefined> {
  try {
    return await secrets.read(name);
  } catch (error) {
    throw new IdentityError(
      'Unauthorized',
      `the secret ${name} could not be read. See that the function's role may read it, and the key that encrypts it.`,
      { cause: error },
    );
  }
}
