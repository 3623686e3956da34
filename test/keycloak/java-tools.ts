import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @throws Error saying which of Java and Maven is missing, and what to do. */
export async function checkJavaTools(): Promise<void> {
  const faults: string[] = [];
  const java = await run('java', ['-version']).catch(() => undefined);
  const version = Number(/version "(\d+)/.exec(java?.stderr ?? '')?.[1] ?? 0);
  if (java === undefined) faults.push('java is not on the PATH');
  else if (version < 17) faults.push(`java is version ${version}, Keycloak needs 17`);
  if ((await run('mvn', ['-version']).catch(() => undefined)) === undefined) faults.push('mvn is not on the PATH');
  if (faults.length === 0) return;
  throw new Error(
    `A real Keycloak cannot be started: ${faults.join('; ')}. Install both, e.g. by: apt-get install openjdk-17-jre-headless maven`,
  );
}
