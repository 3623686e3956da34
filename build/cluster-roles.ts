// Writes infra/kubernetes/roles, the bindings of the pod and the kustomizations, from the manifests of the controller groups.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import { podBindingFiles } from '../lib/deployment/kubernetes/pod-bindings.ts';
import { roleFiles } from '../lib/deployment/kubernetes/role-files.ts';

const FOLDER = fileURLToPath(new URL('../infra/kubernetes', import.meta.url));
const POD = fileURLToPath(new URL('../infra/container/pod', import.meta.url));

for (const entry of readdirSync(join(FOLDER, 'roles'))) {
  if (entry !== 'shared') rmSync(join(FOLDER, 'roles', entry), { recursive: true });
}
rmSync(join(POD, 'bindings'), { recursive: true, force: true });
write(FOLDER, roleFiles());
write(POD, podBindingFiles(GROUPS));

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}
