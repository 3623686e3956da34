import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Files that load the module when they are loaded. A type import loads nothing. */
function loadersAmong(files: Readonly<Record<string, string>>): string[] {
  const loads =
    /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;]*?from\s+'node:sqlite'|(?:^|\n)import\s+'node:sqlite'|(?:require|import)\('node:sqlite'\)(?!\.)/;
  return Object.keys(files).filter((path) =>
    loads.test((files[path] ?? '').replaceAll("typeof import('node:sqlite')", '')),
  );
}

describe('node:sqlite', () => {
  it('R-6.1 node:sqlite is loaded in one place, and only when a state file is opened, so that older releases of Node load the rest', () => {
    const files: Record<string, string> = {};
    for (const folder of ['lib', 'functions', 'cli', 'infra', 'bin']) {
      for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.[jt]s$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        files[path.slice(ROOT.length)] = readFileSync(path, 'utf8');
      }
    }
    expect(Object.keys(files).length).toBeGreaterThan(100);
    expect(loadersAmong(files)).toEqual(['lib/adapters/sqlite/sqlite-module.ts']);
    expect(files['lib/adapters/sqlite/sqlite-module.ts']).toContain("await import('node:sqlite')");
  });

  it.each([
    ["import { DatabaseSync } from 'node:sqlite';", true],
    ["import sqlite from 'node:sqlite';", true],
    ["const sqlite = await import('node:sqlite');", true],
    ["import type { DatabaseSync } from 'node:sqlite';", false],
    ["type Sqlite = typeof import('node:sqlite');", false],
  ])('R-6.1 the rule finds %s as a load: %s', (source, loads) => {
    expect(loadersAmong({ 'a.ts': source })).toEqual(loads ? ['a.ts'] : []);
  });
});
