import { z } from 'zod';
import { InfrastructureError } from '../../core/errors.ts';
import type { Parameter, ParameterStore } from '../../ports/parameter-store.ts';
import type { AwsJsonClient } from './aws-json-client.ts';

const pageSchema = z.object({
  Parameters: z.array(z.object({ Name: z.string(), Value: z.string() })),
  NextToken: z.string().nullish(),
});

/** SSM parameters of type String. */
export class SsmParameterStore implements ParameterStore {
  readonly #client: Pick<AwsJsonClient, 'call'>;

  constructor(client: Pick<AwsJsonClient, 'call'>) {
    this.#client = client;
  }

  async list(path: string): Promise<Parameter[]> {
    const found: Parameter[] = [];
    let token: string | undefined;
    do {
      const input = { Path: path, Recursive: false, ...(token !== undefined && { NextToken: token }) };
      const page = pageSchema.safeParse(await this.#client.call('GetParametersByPath', input, path));
      if (!page.success) throw new InfrastructureError(`SSM answered for ${path} with something that is no page`);
      found.push(...page.data.Parameters.map(({ Name, Value }) => ({ name: Name, value: Value })));
      token = page.data.NextToken ?? undefined;
    } while (token !== undefined && token !== '');
    return found;
  }
}
