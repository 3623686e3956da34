import type { KeycloakCredentials } from '../adapters/keycloak/access-token.ts';
import { KeycloakIdentityProvider } from '../adapters/keycloak/keycloak-identity-provider.ts';
import { HttpKeycloakTransport } from '../adapters/keycloak/keycloak-transport.ts';
import { localIdentityCredentials } from '../adapters/local/local-identity.ts';
import { EvenkeelError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import { readText } from './files/read-text.ts';
import type { Settings } from './settings/settings-schema.ts';

export interface ConnectedIdentity {
  readonly provider: IdentityProvider;
  close(): Promise<void>;
}

type IdentitySettings = NonNullable<NonNullable<Settings['groups']['control-plane']>['identity']>;

/** The identity server that the settings name, or else the stand-in that runs with the embedded stack; undefined without either. */
export function localIdentity(
  settings: Settings,
  record: { readonly identity?: { readonly server: string } | undefined; readonly token?: string | undefined },
  clock: Clock,
): ConnectedIdentity | undefined {
  const named = settings.groups['control-plane']?.identity;
  if (named !== undefined) return connectIdentity(named, readClientSecret(named), clock);
  if (record.identity === undefined) return undefined;
  return connect(record.identity.server, localIdentityCredentials(record.token), clock);
}

export function connectIdentity(
  named: IdentitySettings,
  clientSecret: KeycloakCredentials['clientSecret'],
  clock: Clock,
): ConnectedIdentity {
  const { server, realm, clientId } = named;
  return connect(server, { realm, clientId, clientSecret }, clock, certificateAuthorities(named));
}

function connect(
  server: string,
  credentials: KeycloakCredentials,
  clock: Clock,
  authorities?: string,
): ConnectedIdentity {
  const transport = new HttpKeycloakTransport(server, authorities);
  const provider = new KeycloakIdentityProvider({ server, credentials, transport, clock });
  return { provider, close: () => transport.close() };
}

/** @throws EvenkeelError IDENTITY_CA */
function certificateAuthorities({ ca, caFile }: IdentitySettings): string | undefined {
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
  // Without a certificate nothing would be trusted, and every call would fail for a reason that names no file.
  if (text.includes('-----BEGIN CERTIFICATE-----')) return [ca ?? '', text].join('\n');
  throw new EvenkeelError(
    'IDENTITY_CA',
    `${caFile} holds no certificate. Put the certificate authority there, in PEM.`,
  );
}

/** @throws EvenkeelError IDENTITY_SECRET, without a word of what the file holds. */
function readClientSecret({ clientSecretFile }: IdentitySettings): string {
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
