import { EvenkeelError } from '../../../core/errors.ts';

/** Where the bearer token of a connection comes from. */
export interface TokenSource {
  readonly kind: 'static' | 'file' | 'exec' | 'eks' | 'secret';
  /** The token to send now. @throws CredentialsError when none can be had. */
  current(): Promise<string>;
  /** The server answered 401 to this token: the next `current` fetches anew, where that can help. */
  refused(token: string): void;
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

/** A token that never changes. */
export function staticToken(token: string): TokenSource {
  return { kind: 'static', current: async () => token, refused: () => undefined };
}
