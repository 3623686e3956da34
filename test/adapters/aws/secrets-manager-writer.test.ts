import { describe, expect, it } from 'vitest';
import { SecretsManagerWriter } from '../../../lib/adapters/aws/secrets-manager-writer.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';

/** Secrets Manager with one secret. Another client creates it between the first two requests. */
function contested() {
  let text: string | undefined;
  const refused = (error: string) => new InfrastructureError('refused', { data: { error } });
  const call = async (operation: string, { SecretString }: { SecretString?: string }) => {
    if (operation === 'CreateSecret') {
      text ??= 'somebody else';
      throw refused('ResourceExistsException');
    }
    if (text === undefined) throw refused('ResourceNotFoundException');
    text = SecretString;
    return {};
  };
  return { client: { call } as never, text: () => text };
}

describe('a secret of AWS Secrets Manager', () => {
  it('R-5.23 secret has our text when somebody else creates it at the same time', async () => {
    const { client, text } = contested();
    await new SecretsManagerWriter(client).put('evenkeel/prod/token', 'ours', 'a token');
    expect(text()).toBe('ours');
  });
});
