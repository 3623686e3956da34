import { EvenkeelError } from '../lib/core/errors.ts';
import type { Clock } from '../lib/ports/clock.ts';
import type { IdentityProvider } from '../lib/ports/identity-provider.ts';
import type { SecretStore } from '../lib/ports/secret-store.ts';
import type { CloudEnvironment } from './cloud/cloud-environment.ts';
import { identityClientSecret } from './cloud/cloud-names.ts';
import type { Settings } from './settings/settings-schema.ts';
import { connectIdentity } from './wiring-identity.ts';

/** Only the function that runs the passes of the group may read its secret. */
const GROUP = 'control-plane';

/** The identity server of the settings; undefined where none is named, and in functions that make no clients. */
export async function cloudIdentity(
  { EVENKEEL_STAGE, EVENKEEL_IDENTITY }: Pick<CloudEnvironment, 'EVENKEEL_STAGE' | 'EVENKEEL_IDENTITY'>,
  settings: Settings,
  secrets: SecretStore,
  clock: Clock,
): Promise<IdentityProvider | undefined> {
  const named = settings.groups[GROUP]?.identity;
  if (named === undefined || EVENKEEL_IDENTITY !== GROUP) return undefined;
  const name = identityClientSecret(EVENKEEL_STAGE);
  const secret = await secrets.read(name);
  if (secret !== undefined) return connectIdentity(named, secret, clock).provider;
  throw new EvenkeelError(
    'IDENTITY_SECRET',
    `there is no secret ${name} in Secrets Manager. Make it, with the secret of client ${named.clientId} on ${named.server}.`,
  );
}
