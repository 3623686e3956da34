import { certificateAuthority, type Identity } from './certificate-authority.ts';

/** The certificate of a server on 127.0.0.1, and the authority that its clients trust. */
export interface LoopbackIdentity extends Identity {
  /** PEM. */
  readonly certificateAuthority: string;
}

const DAY_MS = 86_400_000;

/**
 * Created at each start, and useless after the process has ended. The key of the authority is dropped here, so it signs
 * nothing else, and the server's key stays in this process. It is valid for two years, starting one day in the past in
 * case a clock is set back.
 */
export function loopbackIdentity(nowMs: number): LoopbackIdentity {
  const authority = certificateAuthority('evenkeel on this machine', {
    fromMs: nowMs - DAY_MS,
    untilMs: nowMs + 730 * DAY_MS,
  });
  const server = authority.issue('evenkeel', ['127.0.0.1', 'localhost']);
  return { ...server, certificateAuthority: authority.certificate };
}
