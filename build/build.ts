// Writes dist/: the package's exports with their declarations, and the command line in one bundle.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { writeConsolePage } from '../lib/deployment/package/console-page.ts';
import { writeBuiltManifests } from '../lib/deployment/package/manifests.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const shared: BuildOptions = {
  absWorkingDir: root,
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
};

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const exported = ['lib/index.ts', 'lib/testing/index.ts', 'functions/lambda.ts', 'infra/serverless-plugin.ts'];
// `evenkeel container` bundles this one into an image.
const bundledLater = ['functions/relay-container.ts'];
await build({ ...shared, entryPoints: [...exported, ...bundledLater, 'cli/main.ts', 'cli/dev-runner.ts'] });
await writeConsolePage(root);
writeBuiltManifests();
execFileSync('tsc', ['--project', 'build/tsconfig.json'], { cwd: root, stdio: 'inherit' });
