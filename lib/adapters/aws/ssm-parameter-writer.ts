import { InfrastructureError } from '../../core/errors.ts';
import type { ParameterWriter } from '../../ports/parameter-writer.ts';
import type { AwsJsonClient } from './aws-json-client.ts';

/** Writes SSM parameters of type String. Each call may be sent twice: the second one changes nothing. */
export class SsmParameterWriter implements ParameterWriter {
  readonly #client: Pick<AwsJsonClient, 'call'>;

  constructor(client: Pick<AwsJsonClient, 'call'>) {
    this.#client = client;
  }

  async put(name: string, value: string): Promise<void> {
    await this.#client.call('PutParameter', { Name: name, Type: 'String', Value: value, Overwrite: true }, name);
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#client.call('DeleteParameter', { Name: name }, name);
    } catch (error) {
      if (!(error instanceof InfrastructureError && error.data.error === 'ParameterNotFound')) throw error;
    }
  }
}
