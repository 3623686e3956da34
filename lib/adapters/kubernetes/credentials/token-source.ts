import { EvenkeelError } from '../../../core/errors.ts';

/** Where the bearer token of a connection comes from. */
export interface TokenSource {
  readonly kind: 'static' | 'file' | 'eks' | 'secret';
  /** The token to send now. @throws CredentialsError when there is none. */
  current(): Promise<string>;
  /**
   * Reports that the server answered 401 to this token. The next `current` fetches again, if the source can return
   * another one.
   */
  refused(token: string): void;
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Proof of identity for a request: a token, a client certificate or both. */
export interface Credentials {
  readonly token?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** The source of a connection's credentials when they are more than a token. */
export interface CredentialSource {
  /** The credentials to use now. @throws CredentialsError when there are none. */
  current(): Promise<Credentials>;
  /** Reports that the server answered 401 to them. The next `current` fetches again. */
  refused(credentials: Credentials): void;
}

/** There are no credentials. The message names their source, and never contains a credential. */
export class CredentialsError extends EvenkeelError {
  /**
   * True when the source answered that there are none, or returned unusable ones. False when it failed or did not
   * answer.
   */
  readonly gone: boolean;

  constructor(message: string, { gone = false, ...options }: { cause?: unknown; gone?: boolean } = {}) {
    super('CREDENTIALS_UNAVAILABLE', message, options);
    this.gone = gone;
  }
}

/** Whether a header can carry the token: only printable ASCII. */
export function isSendable(token: string): boolean {
  return /^[\x20-\x7e]+$/.test(token);
}

/** A token that never changes. */
export function staticToken(token: string): TokenSource {
  return { kind: 'static', current: async () => token, refused: () => undefined };
}

/** The token as Credentials, for code that accepts any credentials. */
export function tokenCredentials(source: TokenSource): CredentialSource {
  return {
    current: async () => ({ token: await source.current() }),
    refused: ({ token }) => {
      if (token !== undefined) source.refused(token);
    },
  };
}
