import { randomBytes } from 'node:crypto';

const PASSWORD_BYTES = 24;

/** 192 bits of the machine's cryptographic randomness, in hex digits. */
export function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('hex');
}
