import { certificateAuthority, type Identity } from './certificate-authority.ts';

/** What a server on 127.0.0.1 shows, and what its clients check it by. */
export interface LoopbackIdentity extends Identity {
  /** PEM. */
  readonly certificateAuthority: string;
}

const DAY_MS = 86_400_000;

/**
 * Made at a start and worth nothing after it: the authority's key is dropped here, so nothing else is ever signed with it,
 * and the server's key stays in this process. Valid from a day ago, for a clock that is set back, for two years.
 */
export function loopbackIdentity(nowMs: number): LoopbackIdentity {
  const authority = certificateAuthority('evenkeel on this machine', {
    fromMs: nowMs - DAY_MS,
    untilMs: nowMs + 730 * DAY_MS,
  });
  const server = authority.issue('evenkeel', ['127.0.0.1', 'localhost']);
  return { ...server, certificateAuthority: authority.certificate };
}
