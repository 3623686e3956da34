// Writes infra/kubernetes/roles and the kustomizations, from the manifests of the controller groups.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roleFiles } from '../lib/deployment/kubernetes/role-files.ts';

const FOLDER = fileURLToPath(new URL('../infra/kubernetes', import.meta.url));

for (const entry of readdirSync(join(FOLDER, 'roles'))) {
  if (entry !== 'shared') rmSync(join(FOLDER, 'roles', entry), { recursive: true });
}
for (const [file, text] of Object.entries(roleFiles())) {
  mkdirSync(dirname(join(FOLDER, file)), { recursive: true });
  writeFileSync(join(FOLDER, file), text);
}
