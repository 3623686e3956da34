import { z } from 'zod';
import { InfrastructureError } from '../../core/errors.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import type { AwsJsonClient } from './aws-json-client.ts';

const secretSchema = z.object({ SecretString: z.string().nullish() });

/** Secrets of AWS Secrets Manager, each in its current version. */
export class SecretsManagerStore implements SecretStore {
  readonly #client: Pick<AwsJsonClient, 'call'>;

  constructor(client: Pick<AwsJsonClient, 'call'>) {
    this.#client = client;
  }

  async read(name: string): Promise<string | undefined> {
    let answer: unknown;
    try {
      answer = await this.#client.call('GetSecretValue', { SecretId: name }, name);
    } catch (error) {
      if (error instanceof InfrastructureError && error.data.error === 'ResourceNotFoundException') return undefined;
      throw error;
    }
    const secret = secretSchema.safeParse(answer);
    // The error does not contain the answer, because the answer may be a secret.
    if (!secret.success)
      throw new InfrastructureError(`Secrets Manager answered for ${name} with something unreadable`);
    return secret.data.SecretString ?? undefined;
  }
}
