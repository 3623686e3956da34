// npm run test:deploy: the deployment as a template, and on an emulator of AWS with real API servers.
import { spawnSync } from 'node:child_process';
import { buildApiServer } from '../real-apiserver/build.ts';

const TOOLS = { ministack: '1.5.33', 'cfn-lint': '1.58.0' };

const missing = Object.entries(TOOLS).filter(([name]) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
if (missing.length > 0) {
  const packages = missing.map(([name, version]) => `${name}==${version}`).join(' ');
  console.error(
    `test:deploy needs ${missing.map(([name]) => name).join(' and ')} on the PATH. Install into a Python environment, e.g.: python3 -m venv .venv && .venv/bin/pip install ${packages} && PATH=$PWD/.venv/bin:$PATH npm run test:deploy`,
  );
  process.exit(1);
}
await buildApiServer(console.log);
const { status } = spawnSync('vitest', ['run', '--project', 'deploy', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
