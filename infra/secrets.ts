import { pascalCase, stageSecretName } from '../lib/deployment/cloud/cloud-names.ts';
import { madeSecrets } from '../lib/deployment/groups/installed-groups.ts';
import type { Resource, Resources } from './cloudformation.ts';
import type { Stage } from './stage.ts';

/** The secrets that the installed groups need from the deployment. AWS generates them, and nobody sees them. */
export function secrets(stage: Stage): Resources {
  const { secretsKeyArn } = stage.cloud;
  return Object.fromEntries(
    madeSecrets(stage.installed).map(({ name, why }): [string, Resource] => [
      pascalCase(name),
      {
        Type: 'AWS::SecretsManager::Secret',
        // With a new key, a change of content at the same time is not noticed.
        UpdateReplacePolicy: 'Retain',
        DeletionPolicy: 'Delete',
        Properties: {
          Name: stageSecretName(stage.name, name),
          Description: why,
          GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
          ...(secretsKeyArn !== undefined && { KmsKeyId: secretsKeyArn }),
        },
      },
    ]),
  );
}
