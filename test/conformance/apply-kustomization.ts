import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { Kubectl } from '../apiserver/kubectl.ts';
import type { ApiServerAddress } from '../real-apiserver/connect-api-server.ts';
import type { RoleManifest } from '../support/role-manifests.ts';

/**
 * Returns the objects of one of this repository's kustomizations, as kubectl prints them. @param folder relative to the
 * repository's root, or absolute.
 */
export async function kustomized(server: ApiServerAddress, folder: string): Promise<RoleManifest[]> {
  return await withKubectl(server, async (kubectl) => {
    const stdout = await kubectl.run(['kustomize', pathOf(folder)]);
    return parseAllDocuments(stdout).map((document) => document.toJS() as RoleManifest);
  });
}

/** Applies a kustomization as the documentation says. @returns what kubectl printed. */
export async function applyKustomization(
  server: ApiServerAddress,
  folder: string,
  options: readonly string[] = [],
): Promise<string> {
  return await withKubectl(server, (kubectl) =>
    kubectl.run(['apply', '--server-side', '-k', pathOf(folder), ...options]),
  );
}

function pathOf(folder: string): string {
  return folder.startsWith('/') ? folder : fileURLToPath(new URL(`../../${folder}`, import.meta.url));
}

async function withKubectl<Result>(
  server: ApiServerAddress,
  use: (kubectl: Kubectl) => Promise<Result>,
): Promise<Result> {
  const kubectl = await Kubectl.with(server.kubeconfigPath);
  try {
    return await use(kubectl);
  } finally {
    await kubectl.remove();
  }
}
