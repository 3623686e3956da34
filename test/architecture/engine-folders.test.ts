import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importSpecifiers } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RELAY = 'lib/engine/relay/';
/** The code that assembles the parts may import each of them. */
const MAY_IMPORT_THE_RELAY = [RELAY, 'lib/engine/runtime/'];

/** Imports of the relay by other parts of the engine. Code that both use belongs into `fanout` or `watch`. */
function importsOfTheRelay(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([path]) => !MAY_IMPORT_THE_RELAY.some((folder) => path.startsWith(folder)))
    .flatMap(([path, source]) =>
      importSpecifiers(source)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.normalize(posix.join(posix.dirname(path), specifier)))
        .filter((imported) => imported.startsWith(RELAY))
        .map((imported) => `${path}: imports ${imported}`),
    );
}

function engineSources(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(join(ROOT, 'lib/engine'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(ROOT.length)] = readFileSync(path, 'utf8');
  }
  return files;
}

describe('the folders of the engine', () => {
  it('no part of the engine imports the relay, apart from the assembly', () => {
    const files = engineSources();
    expect(Object.keys(files).length).toBeGreaterThan(80);
    expect(importsOfTheRelay(files)).toEqual([]);
  });

  it.each(['resync', 'fanout', 'poll', 'worker'])('the check finds an import of the relay by %s', (folder) => {
    const source = "import { wakeup } from '../relay/wakeup.ts';";
    expect(importsOfTheRelay({ [`lib/engine/${folder}/a.ts`]: source })).toHaveLength(1);
    expect(importsOfTheRelay({ 'lib/engine/relay/a.ts': "import { b } from './b.ts';" })).toEqual([]);
  });
});
