import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { downloadKeycloak } from './download-keycloak.ts';

export interface RunningKeycloak {
  /** As in `http://127.0.0.1:40123`. */
  readonly url: string;
  /** A service account in realm `master` that may do everything. */
  readonly credentials: { readonly realm: string; readonly clientId: string; readonly clientSecret: string };
  /** Ends the process and removes its files. */
  stop(): Promise<void>;
}

const SHOWN_LOG_LINES = 30;
const LOOK_AGAIN_MS = 250;

/**
 * Starts a real Keycloak with an empty database in a directory of its own, on free ports of 127.0.0.1.
 * @throws Error with the end of its log when it ends instead of becoming ready.
 */
export async function startKeycloak(): Promise<RunningKeycloak> {
  const home = await downloadKeycloak(console.log);
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-keycloak-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const credentials = { realm: 'master', clientId: 'evenkeel', clientSecret: 'a secret: ä%/' };
  const logFile = join(directory, 'keycloak.log');
  const log = await open(logFile, 'w');
  const child = spawn(
    // By its interpreter: an archive unpacked by the JDK's tool has no executable files.
    'bash',
    [
      join(home, 'bin', 'kc.sh'),
      'start-dev',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      '--http-management-port',
      String(managementPort),
      `--db-url=jdbc:h2:file:${join(directory, 'database')};NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE`,
      '--cache=local',
    ],
    {
      // A group of its own, since the script starts Java beside it.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_CLIENT_ID: credentials.clientId,
        KC_BOOTSTRAP_ADMIN_CLIENT_SECRET: credentials.clientSecret,
        JAVA_OPTS_APPEND: '-Xmx512m',
      },
    },
  );
  const exited = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  await log.close();
  const endGroup = () => {
    if (child.pid === undefined || child.exitCode !== null) return;
    process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', endGroup);
  const stop = async () => {
    endGroup();
    await exited;
    process.removeListener('exit', endGroup);
    await rm(directory, { recursive: true, force: true });
  };

  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const ended = await Promise.race([exited.then(() => true), delay(LOOK_AGAIN_MS, false)]);
    if (ended) {
      const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
      await stop();
      throw new Error(`Keycloak ended before it was ready. Its log ends:\n${lines.join('\n')}`);
    }
    const answer = await fetch(`${url}/realms/master`).catch(() => undefined);
    if (answer?.ok) return { url, credentials, stop };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port could be found');
  return address.port;
}
