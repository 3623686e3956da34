/**
 * `npm run model`: builds the protocol model in this folder with Go and runs it. Arguments are passed on; README.md has them.
 * Exits with 1 when it cannot be built, or when a scenario does not end as expected.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = await mkdtemp(join(tmpdir(), 'evenkeel-model-'));
try {
  const binary = join(folder, 'model');
  const built = await run('go', ['build', '-buildvcs=false', '-o', binary, '.']).catch((error: Error) => {
    console.error(
      `The model is built with Go 1.24 or newer, and "go" could not be started: ${error.message}. Install Go.`,
    );
    return 1;
  });
  process.exitCode = built === 0 ? await run(binary, process.argv.slice(2)) : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, {
    cwd: import.meta.dirname,
    stdio: 'inherit',
    // Above this the garbage collector works harder, so that the process stays below 4 GB.
    env: { GOMEMLIMIT: '3GiB', ...process.env, GOWORK: 'off' },
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
