import { join } from 'node:path';
import { z } from 'zod';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { fileFault } from '../../lib/deployment/files/file-fault.ts';
import { readText } from '../../lib/deployment/files/read-text.ts';
import { removeFile, writeWhole } from '../../lib/deployment/files/write-whole.ts';

const runRecordSchema = z.object({
  v: z.literal(1),
  pid: z.int().positive(),
  startedAt: z.string(),
  version: z.string(),
  /** The absolute path of the settings file. */
  settings: z.string().optional(),
  /** The absolute paths of modules with controllers, in addition to those of the settings. */
  controllers: z.array(z.string()).optional(),
  cluster: z.object({
    name: z.string(),
    kubeconfig: z.string(),
    context: z.string(),
    /** The API server is the embedded one, not a real cluster's. */
    embedded: z.boolean(),
  }),
  /** The deployment's name in the Leases of the cluster, when machine and folder do not identify it: in a pod. */
  deployment: z.string().optional(),
  /** The file with the state, absolute. Records of the first release have none: it served queue and table over HTTP. */
  state: z.string(),
  /** The stand-in for an identity server, when the settings name no real one. */
  identity: z.object({ server: z.url() }).optional(),
  metrics: z.string().optional(),
  /** The token that each of these services requires. Absent for services of the first release, which require none. */
  token: z.string().optional(),
});

/** What `evenkeel start` writes for commands and other parts: addresses and the token. Only this user can read it. */
export type RunRecord = z.infer<typeof runRecordSchema>;

const FILE = 'run.json';
const CLOUD = 'name a cloud deployment with --stage';

/** @throws EvenkeelError CANNOT_WRITE */
export function writeRunRecord(directory: string, record: RunRecord): void {
  writeWhole(join(directory, FILE), `${JSON.stringify(record, null, 2)}\n`);
}

export function removeRunRecord(directory: string): void {
  removeFile(join(directory, FILE));
}

/**
 * @param otherwise the option with which the command can read something else.
 * @throws EvenkeelError NOT_RUNNING; BROKEN_STATE for a file that cannot be read or is not such a record.
 */
export function readRunRecord(directory: string, otherwise = CLOUD): RunRecord {
  const path = join(directory, FILE);
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      const { why, advice } = fileFault(error);
      throw new EvenkeelError(
        'BROKEN_STATE',
        `${path} cannot be read: ${why}. ${advice}, or name another folder with --state-dir DIR.`,
        { cause: error },
      );
    }
    throw new EvenkeelError(
      'NOT_RUNNING',
      `nothing runs from ${directory}. Run npm start there, name another folder with --state-dir, or ${otherwise}.`,
      { cause: error },
    );
  }
  const parsed = runRecordSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new EvenkeelError(
    'BROKEN_STATE',
    `${path} was not written by this release. Stop what runs from ${directory}, delete the file, and start again.`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
