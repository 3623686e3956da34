import type { ClientPorts, ConnectedClients, GroupSecret, StageSecret } from '../../controllers/group.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { type Group, SECRET_FILES } from '../../kit/group/define-group.ts';
import type { GroupValues } from '../../kit/group/group-values.ts';
import type { Clock } from '../../ports/clock.ts';

/** How long a function uses a secret before it reads it again. */
const REREAD_AFTER_MS = 5 * 60_000;

type ReadSecret = GroupValues['secret'];
type Section = Readonly<Record<string, unknown>>;

/** The secret's name among all secrets of a stage: in Secrets Manager it is `evenkeel/<stage>/<group>/<secret>`. */
function wholeName(group: string, secret: string): string {
  return `${group}/${secret}`;
}

/** The secrets of an author's group, for its manifest. */
export function declaredSecrets(group: Group): GroupSecret[] {
  return Object.entries(group.secrets).map(([name, what]) => ({
    name: wholeName(group.name, name),
    what,
    why: `The controllers of group ${group.name} read it`,
    madeBy: 'operator',
    statement: `ReadSecret${name
      .split('-')
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join('')}`,
    file: [SECRET_FILES, name],
    isNeeded: () => true,
  }));
}

/** The secrets of a group where its passes run: from files on one machine, and from Secrets Manager in the cloud. */
export function connectSecrets(
  group: string,
  section: Section,
  { clock, readText, stageSecret }: Pick<ClientPorts, 'clock' | 'readText' | 'stageSecret'>,
): ConnectedClients<ReadSecret> {
  const clients =
    stageSecret === undefined ? fileSecrets(group, section, readText) : stageSecrets(group, stageSecret, clock);
  return { clients, close: async () => {} };
}

/** Reads a file at each call, so that a changed secret needs no restart. */
export function fileSecrets(group: string, section: Section, readText: ClientPorts['readText']): ReadSecret {
  const files = (section[SECRET_FILES] ?? {}) as Readonly<Record<string, string | undefined>>;
  return async (name) => fileText(group, name, files[name], readText);
}

function stageSecrets(
  group: string,
  stageSecret: NonNullable<ClientPorts['stageSecret']>,
  clock: Pick<Clock, 'monotonic'>,
): ReadSecret {
  const kept = new Map<string, { readonly text: string; readonly atMs: number }>();
  return async (name) => {
    const found = kept.get(name);
    const atMs = clock.monotonic();
    if (found !== undefined && atMs - found.atMs < REREAD_AFTER_MS) return found.text;
    const text = await stageText(stageSecret(wholeName(group, name)));
    kept.set(name, { text, atMs });
    return text;
  };
}

async function stageText(secret: StageSecret): Promise<string> {
  let text: string | undefined;
  try {
    text = (await secret.read())?.trim();
  } catch (error) {
    throw fault(
      'SECRET_UNREADABLE',
      `the secret ${secret.name} could not be read. See that the function's role may read it, and the key that encrypts it.`,
      error,
    );
  }
  if (text !== undefined && text !== '') return text;
  throw fault(
    'SECRET_MISSING',
    `there is no secret ${secret.name} in Secrets Manager, or it is empty. Create it: aws secretsmanager create-secret --name ${secret.name} --secret-string file://FILE`,
  );
}

/** @throws EvenkeelError SECRET_MISSING, SECRET_UNREADABLE; it quotes nothing of the file. */
function fileText(group: string, name: string, file: string | undefined, readText: ClientPorts['readText']): string {
  const field = `groups.${group}.${SECRET_FILES}.${name}`;
  if (file === undefined) {
    throw fault(
      'SECRET_MISSING',
      `${field}: is missing. Name a file with the secret in the settings (--settings FILE).`,
    );
  }
  let text: string;
  try {
    text = readText(file).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const isMissing = code === 'ENOENT';
    const advice = isMissing
      ? 'Put the secret there, or correct the path.'
      : 'Make the file readable, or correct the path.';
    throw fault(
      isMissing ? 'SECRET_MISSING' : 'SECRET_UNREADABLE',
      `${file}, which ${field} names, cannot be read (${code}). ${advice}`,
      error,
    );
  }
  if (text !== '') return text;
  throw fault('SECRET_MISSING', `${file}, which ${field} names, is empty. Put the secret there.`);
}

function fault(code: string, message: string, cause?: unknown): EvenkeelError {
  return new EvenkeelError(code, message, cause === undefined ? {} : { cause });
}
