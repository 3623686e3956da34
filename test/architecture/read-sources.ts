import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The TypeScript sources below some folders of the repository, by path, e.g. `lib/core/event.ts`.
 * @param endings of the files' names.
 */
export function readSources(folders: readonly string[], endings: readonly string[] = ['.ts']): Record<string, string> {
  const files: Record<string, string> = {};
  for (const folder of folders) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(ending))) continue;
      const path = join(entry.parentPath, entry.name);
      files[path.slice(ROOT.length)] = readFileSync(path, 'utf8');
    }
  }
  return files;
}
