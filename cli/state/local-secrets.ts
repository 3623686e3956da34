import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupSecret } from '../../lib/controllers/group.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { readText } from '../../lib/deployment/files/read-text.ts';
import { writeWhole } from '../../lib/deployment/files/write-whole.ts';
import { type InstalledGroup, madeSecrets, settingAt } from '../../lib/deployment/groups/installed-groups.ts';

const MINIMUM_BYTES = 16;
const GENERATED_BYTES = 32;

type NamedSecret = Pick<GroupSecret, 'name' | 'what'>;

/**
 * The secrets of a deployment, by name. Each comes from the file that a group's settings name, or is stored in the
 * state directory.
 * @param keeps whether a new secret is stored there; otherwise only this process has it.
 */
export function localSecrets(
  installed: readonly InstalledGroup[],
  stateDirectory: string,
  keeps = true,
): Record<string, string> {
  return Object.fromEntries(
    madeSecrets(installed).map((secret) => {
      const named = fileNamed(secret.name, installed);
      const file = join(stateDirectory, secret.name);
      const kept = () => (keeps || existsSync(file) ? keptSecret(secret, file) : newSecret());
      return [secret.name, named === undefined ? kept() : readNamedSecret(secret, named)];
    }),
  );
}

interface NamedFile {
  readonly file: string;
  /** The setting that names the file. */
  readonly field: string;
}

function fileNamed(name: string, installed: readonly InstalledGroup[]): NamedFile | undefined {
  for (const { manifest, section } of installed) {
    for (const { name: known, file: path } of manifest.secrets ?? []) {
      const file = known === name && path !== undefined ? settingAt(section, path) : undefined;
      if (typeof file === 'string') return { file, field: ['groups', manifest.name, ...(path ?? [])].join('.') };
    }
  }
  return undefined;
}

/**
 * Reads a secret without the line end that editors add.
 * @throws EvenkeelError with the secret's name as its code, e.g. DIGEST_KEY; it quotes nothing of the file.
 */
function readNamedSecret(secret: NamedSecret, { file, field }: NamedFile): string {
  return readSecret(secret, file, (code) => {
    return `${file}, which ${field} names, cannot be read (${code}). Correct the path, or remove it: then a key is made.`;
  });
}

/** @param unreadable returns the message for a file that cannot be read, by the error's code. */
function readSecret({ name }: NamedSecret, file: string, unreadable: (code: string) => string): string {
  const errorCode = name.toUpperCase().replaceAll('-', '_');
  let secret: string;
  try {
    secret = readText(file).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError(errorCode, unreadable(code), { cause: error });
  }
  if (Buffer.byteLength(secret) >= MINIMUM_BYTES) return secret;
  throw new EvenkeelError(
    errorCode,
    `${file} holds fewer than ${MINIMUM_BYTES} bytes. Put a longer random key there, e.g. by: openssl rand -hex 32 > ${file}`,
  );
}

/**
 * Reads the secret, or creates one that only this user can read. The caller holds the state directory, so no other
 * process creates one at the same time.
 * @throws EvenkeelError with the secret's name as its code; CANNOT_WRITE, and then no secret is left behind.
 */
export function keptSecret(secret: NamedSecret, file: string): string {
  if (!existsSync(file)) writeWhole(file, `${newSecret()}\n`);
  return readSecret(secret, file, (code) => {
    return `${file}, where ${secret.what} is kept, cannot be read (${code}). Make it readable, or move it away: then a new one is made.`;
  });
}

function newSecret(): string {
  return randomBytes(GENERATED_BYTES).toString('hex');
}
