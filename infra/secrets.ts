import { digestKeySecret } from '../lib/deployment/cloud/cloud-names.ts';
import type { Resources } from './cloudformation.ts';
import { comparesContent } from './permissions.ts';
import type { Stage } from './stage.ts';

/** The key that content is compared by, where a group compares it: made by AWS, seen by nobody. */
export function secrets(stage: Stage): Resources {
  if (!stage.groups.some((group) => comparesContent(stage, group))) return {};
  const { secretsKeyArn } = stage.cloud;
  return {
    DigestKey: {
      Type: 'AWS::SecretsManager::Secret',
      // With a new key, a change of content that coincides with it is missed.
      UpdateReplacePolicy: 'Retain',
      DeletionPolicy: 'Delete',
      Properties: {
        Name: digestKeySecret(stage.name),
        Description: 'Compares the content of Secrets without storing it',
        GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
        ...(secretsKeyArn !== undefined && { KmsKeyId: secretsKeyArn }),
      },
    },
  };
}
