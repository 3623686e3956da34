import { EvenkeelError } from '../../lib/core/errors.ts';
import { stageSecretName } from '../../lib/deployment/cloud/cloud-names.ts';
import { type InstalledGroup, neededSecrets } from '../../lib/deployment/groups/installed-groups.ts';
import type { SecretStore } from '../../lib/ports/secret-store.ts';
import { type Diagnosis, ok, trouble, warning } from './diagnosis.ts';

/** Checks that each secret that an operator creates for a group is there. Its text is not looked at, apart from its length. */
export async function examineSecrets(
  stage: string,
  installed: readonly InstalledGroup[],
  store: SecretStore,
): Promise<Diagnosis[]> {
  const needed = installed.flatMap((group) =>
    neededSecrets(group)
      .filter(({ madeBy }) => madeBy === 'operator')
      .map(({ name, what }) => ({ name: stageSecretName(stage, name), what, group: group.manifest.name })),
  );
  const diagnoses: Diagnosis[] = [];
  for (const { name, what, group } of new Map(needed.map((secret) => [secret.name, secret])).values()) {
    try {
      const isThere = ((await store.read(name)) ?? '').trim() !== '';
      const advice = `Create it: aws secretsmanager create-secret --name ${name} --secret-string file://FILE`;
      diagnoses.push(
        isThere
          ? ok('AWS', `the secret ${name} is there`)
          : trouble('AWS', `there is no secret ${name}, or it is empty: ${what}. Group ${group} needs it`, advice),
      );
    } catch (error) {
      if (!(error instanceof EvenkeelError)) throw error;
      const advice = 'Check it with an identity that may read it (secretsmanager:GetSecretValue).';
      diagnoses.push(warning('AWS', `the secret ${name} could not be read`, advice));
    }
  }
  return diagnoses;
}
