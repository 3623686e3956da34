import { EvenkeelError } from '../../core/errors.ts';
import { IdentityError } from '../../ports/identity-provider.ts';
import type { StageSecret } from '../group.ts';
import type { IdentitySection } from './settings-section.ts';

type ReadText = (path: string) => string;

/** @returns the trusted authorities, in PEM; undefined for those of the machine. @throws EvenkeelError IDENTITY_CA */
export function certificateAuthorities({ ca, caFile }: IdentitySection, readText: ReadText): string | undefined {
  if (caFile === undefined) return ca;
  let text: string;
  try {
    text = readText(caFile);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError(
      'IDENTITY_CA',
      `${caFile}, which groups.control-plane.identity.caFile names, cannot be read (${code}). Correct the path.`,
      { cause: error },
    );
  }
  // A file without a certificate would make every call fail, with an error that does not name the file.
  if (text.includes('-----BEGIN CERTIFICATE-----')) return [ca ?? '', text].join('\n');
  throw new EvenkeelError(
    'IDENTITY_CA',
    `${caFile} holds no certificate. Put the certificate authority there, in PEM.`,
  );
}

/**
 * The account's secret, from the file of this machine.
 * @throws EvenkeelError IDENTITY_SECRET, which quotes nothing of the file.
 */
export function clientSecretOfFile({ clientSecretFile }: IdentitySection, readText: ReadText): string {
  if (clientSecretFile === undefined) {
    throw new EvenkeelError(
      'IDENTITY_SECRET',
      'groups.control-plane.identity.clientSecretFile: is missing. Name a file with the secret of the service account.',
    );
  }
  let secret: string;
  try {
    secret = readText(clientSecretFile).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError(
      'IDENTITY_SECRET',
      `${clientSecretFile}, which groups.control-plane.identity.clientSecretFile names, cannot be read (${code}). Correct the path.`,
      { cause: error },
    );
  }
  if (secret !== '') return secret;
  throw new EvenkeelError(
    'IDENTITY_SECRET',
    `${clientSecretFile} is empty. Put the secret of the service account there.`,
  );
}

/** The account's secret, from the stage. It is read for each token, so that a changed secret needs no deployment. */
export function clientSecretOfStage({ clientId, server }: IdentitySection, secret: StageSecret): () => Promise<string> {
  return async () => {
    const text = (await readSecret(secret))?.trim();
    if (text !== undefined && text !== '') return text;
    throw new IdentityError(
      'Unauthorized',
      `there is no secret ${secret.name} in Secrets Manager, or it is empty. Make it, with the secret of client ${clientId} on ${server}.`,
    );
  };
}

async function readSecret(secret: StageSecret): Promise<string | undefined> {
  try {
    return await secret.read();
  } catch (error) {
    throw new IdentityError(
      'Unauthorized',
      `the secret ${secret.name} could not be read. See that the function's role may read it, and the key that encrypts it.`,
      { cause: error },
    );
  }
}
