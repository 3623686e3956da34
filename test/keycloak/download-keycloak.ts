import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkJavaTools } from './java-tools.ts';

const run = promisify(execFile);

export const KEYCLOAK_VERSION = '26.4.0';

/**
 * The folder of an unpacked Keycloak, in the user's cache directory. The first call fetches it with Maven (about 160 MB).
 * @throws Error when Java or Maven are missing, or Maven cannot fetch it.
 */
export async function downloadKeycloak(log: (line: string) => void): Promise<string> {
  await checkJavaTools();
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'evenkeel', 'keycloak');
  const name = `keycloak-${KEYCLOAK_VERSION}`;
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unpacking = await mkdtemp(join(cache, 'unpacking-'));
  try {
    log(`fetching Keycloak ${KEYCLOAK_VERSION} with Maven`);
    const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`;
    await maven(['dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
    await maven(['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${unpacking}`]);
    // The JDK's own tool: unzip is not everywhere.
    await run('jar', ['xf', `keycloak-quarkus-dist-${KEYCLOAK_VERSION}.zip`], { cwd: unpacking }).catch(() =>
      run('unzip', ['-q', `keycloak-quarkus-dist-${KEYCLOAK_VERSION}.zip`], { cwd: unpacking }),
    );
    await rename(join(unpacking, name), folder).catch((error: unknown) => {
      // Another run was faster.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(unpacking, { recursive: true, force: true });
  }
}

async function maven(args: readonly string[]): Promise<void> {
  try {
    await run('mvn', ['-q', '-B', ...args], { maxBuffer: 16 * 1_048_576 });
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    throw new Error(
      `Maven could not fetch Keycloak ${KEYCLOAK_VERSION}:\n${stdout.trimEnd().split('\n').slice(-10).join('\n')}`,
      {
        cause: error,
      },
    );
  }
}
