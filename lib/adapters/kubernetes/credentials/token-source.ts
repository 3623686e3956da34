import { EvenkeelError } from '../../../core/errors.ts';

/** Where the bearer token of a connection comes from. */
export interface TokenSource {
  readonly kind: 'static' | 'file' | 'eks' | 'secret';
  /** The token to send now. @throws CredentialsError when none can be had. */
  current(): Promise<string>;
  /** The server answered 401 to this token: the next `current` fetches again, where that can help. */
  refused(token: string): void;
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What proves who a request comes from: at least one of them. */
export interface Credentials {
  readonly token?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** Where the credentials of a connection come from when they are more than a token. */
export interface CredentialSource {
  /** What to use now. @throws CredentialsError when none can be had. */
  current(): Promise<Credentials>;
  /** The server answered 401 to them: the next `current` fetches again. */
  refused(credentials: Credentials): void;
}

/** No credentials can be had. The message says from where, and never holds any of them. */
export class CredentialsError extends EvenkeelError {
  /** Their source answered that there are none, or none that can be used; false when it failed, or did not answer. */
  readonly gone: boolean;

  constructor(message: string, { gone = false, ...options }: { cause?: unknown; gone?: boolean } = {}) {
    super('CREDENTIALS_UNAVAILABLE', message, options);
    this.gone = gone;
  }
}

/** Whether a header can carry the token as it is: printable ASCII alone. */
export function isSendable(token: string): boolean {
  return /^[\x20-\x7e]+$/.test(token);
}

/** A token that never changes. */
export function staticToken(token: string): TokenSource {
  return { kind: 'static', current: async () => token, refused: () => undefined };
}

/** The same, for who sends whatever credentials there are. */
export function tokenCredentials(source: TokenSource): CredentialSource {
  return {
    current: async () => ({ token: await source.current() }),
    refused: ({ token }) => {
      if (token !== undefined) source.refused(token);
    },
  };
}
