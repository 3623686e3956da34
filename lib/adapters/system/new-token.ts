import { randomBytes } from 'node:crypto';

/** A credential for the services of one process on this machine: 256 bits, as 43 characters that are valid in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
