/**
 * `npm run test:conformance`: runs test/conformance against a real kube-apiserver. Arguments are passed on to vitest.
 * Exits with 1 when the API server cannot be built, else with vitest's code.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildApiServer } from './build.ts';

/** Test files at once, each with up to two servers of its own: they wait more than they compute. */
const WORKERS = 3;

const root = join(import.meta.dirname, '..', '..');

try {
  await buildApiServer(console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project',
    'conformance',
    `--maxWorkers=${WORKERS}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
vitest.once('exit', (code) => process.exit(code ?? 1));
