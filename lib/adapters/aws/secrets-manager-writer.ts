import { InfrastructureError } from '../../core/errors.ts';
import type { SecretWriter } from '../../ports/secret-writer.ts';
import type { AwsJsonClient } from './aws-json-client.ts';

/** Writes secrets of AWS Secrets Manager. Each call may be sent twice: the second one leaves the same text. */
export class SecretsManagerWriter implements SecretWriter {
  readonly #client: Pick<AwsJsonClient, 'call'>;
  readonly #encryptionKey: string | undefined;

  /** @param encryptionKey the ARN of the key that encrypts new secrets. By default AWS' own key does. */
  constructor(client: Pick<AwsJsonClient, 'call'>, encryptionKey?: string) {
    this.#client = client;
    this.#encryptionKey = encryptionKey;
  }

  async put(name: string, text: string, about: string): Promise<void> {
    try {
      await this.#client.call('PutSecretValue', { SecretId: name, SecretString: text }, name);
    } catch (error) {
      if (!isRefusal(error, 'ResourceNotFoundException')) throw error;
      await this.#create(name, text, about);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#client.call('DeleteSecret', { SecretId: name, ForceDeleteWithoutRecovery: true }, name);
    } catch (error) {
      if (!isRefusal(error, 'ResourceNotFoundException')) throw error;
    }
  }

  async #create(name: string, text: string, about: string): Promise<void> {
    const KmsKeyId = this.#encryptionKey;
    const input = { Name: name, SecretString: text, Description: about, ...(KmsKeyId !== undefined && { KmsKeyId }) };
    try {
      await this.#client.call('CreateSecret', input, name);
    } catch (error) {
      if (!isRefusal(error, 'ResourceExistsException')) throw error;
      // The first of two requests created it and its answer was lost, or somebody else created it with another text.
      await this.#client.call('PutSecretValue', { SecretId: name, SecretString: text }, name);
    }
  }
}

function isRefusal(error: unknown, name: string): boolean {
  return error instanceof InfrastructureError && error.data.error === name;
}
