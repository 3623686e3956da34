import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { repeatedYamlKey } from '../../core/yaml-keys.ts';
import { packageRoot } from './package-root.ts';

/** The CustomResourceDefinitions that this release needs, by name. */
export function bundledDefinitions(): DesiredObject[] {
  return readManifests(join(packageRoot(), 'infra', 'kubernetes', 'crds'));
}

/** The objects of one folder of infra/kubernetes/roles; none when there is no such folder. */
export function bundledRoles(folder: string): DesiredObject[] {
  const path = join(packageRoot(), 'infra', 'kubernetes', 'roles', folder);
  return existsSync(path) ? readManifests(path, (file) => !file.endsWith('kustomization.yaml')) : [];
}

/**
 * The objects of the controller groups' examples that any cluster can hold, in the order of the groups and their files.
 * What needs more, such as another operator, is in folders below, which `kubectl apply -f` passes over as well.
 */
export function exampleObjects(groups: readonly string[]): DesiredObject[] {
  return groups.flatMap((group) => {
    const folder = join(packageRoot(), 'examples', group);
    if (!existsSync(folder)) return [];
    return readManifests(folder, (file) => !/[\\/]/.test(file));
  });
}

function readManifests(folder: string, isWanted: (file: string) => boolean = () => true): DesiredObject[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file) && isWanted(file))
    .sort();
  return files.flatMap((file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { uniqueKeys: false });
    return documents.flatMap((document) => {
      const value: unknown = document.toJS();
      if (value === null || value === undefined) return [];
      const isWhole = document.errors.length === 0 && repeatedYamlKey(document.contents) === undefined;
      if (isWhole && isManifest(value)) return [value];
      throw new EvenkeelError('BROKEN_PACKAGE', `${join(folder, file)} holds something that is no Kubernetes object.`);
    });
  });
}

function isManifest(value: unknown): value is DesiredObject {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  const name = typeof metadata === 'object' && metadata !== null ? (metadata as { name?: unknown }).name : undefined;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string';
}
