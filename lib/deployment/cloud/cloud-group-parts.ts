import { EvenkeelError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { connectGroups } from '../groups/connect-groups.ts';
import { installedGroups, madeSecrets } from '../groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import type { Settings } from '../settings/settings-schema.ts';
import type { CloudEnvironment } from './cloud-environment.ts';
import { stageSecretName } from './cloud-names.ts';

/** The secrets and clients for the controllers of a function. */
export interface CloudGroupParts {
  /** By their names in the manifests. */
  readonly secrets: Readonly<Record<string, string>>;
  /** By the names of the groups. */
  readonly clients: Readonly<Record<string, unknown>>;
  readonly groups: ControllerGroups;
}

/** The reason why a secret is missing in a function that runs no pass. */
const RUNS_NO_PASS = 'this function runs no pass';

/**
 * Reads the secrets that the deployment created, and connects the clients of the one group whose passes the function
 * runs. Only that function may read the secrets of the group.
 * @throws EvenkeelError BROKEN_DEPLOYMENT; InfrastructureError when a secret could not be read.
 */
export async function cloudGroupParts(
  {
    EVENKEEL_STAGE: stage,
    EVENKEEL_IDENTITY: identity,
    secrets: names,
  }: Pick<CloudEnvironment, 'EVENKEEL_STAGE' | 'EVENKEEL_IDENTITY' | 'secrets'>,
  settings: Settings,
  store: SecretStore,
  clock: Clock,
  groups: ControllerGroups = GROUPS,
): Promise<CloudGroupParts> {
  const installed = installedGroups(settings, groups);
  const secrets: Record<string, string> = {};
  for (const { name } of madeSecrets(installed)) secrets[name] = await readSecret(names[name], store);
  const { clients } = connectGroups(
    installed.filter(({ manifest }) => manifest.name === identity),
    {
      clock,
      standIn: undefined,
      stageSecret: (name) => {
        const whole = stageSecretName(stage, name);
        return { name: whole, read: () => store.read(whole) };
      },
    },
  );
  return { secrets, clients, groups };
}

async function readSecret(name: string | undefined, store: SecretStore): Promise<string> {
  if (name === undefined) return RUNS_NO_PASS;
  const text = await store.read(name);
  if (text !== undefined) return text;
  throw new EvenkeelError('BROKEN_DEPLOYMENT', `there is no secret ${name}. Deploy the stage again, which creates it.`);
}
