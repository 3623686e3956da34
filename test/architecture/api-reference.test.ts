import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PublicExport } from '../../build/reference/exports.ts';
import { PAGES, publicExports, referencePages } from '../../build/reference/pages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'docs', 'reference');

/** The types of Kubernetes itself, generated from its OpenAPI documents: `kubectl explain` documents their fields. */
const OF_KUBERNETES = 'lib/kit/built-in/generated/';

/** Exports that say nothing about themselves. */
function undocumented(exports: ReadonlyMap<string, readonly PublicExport[]>): string[] {
  return [...exports].flatMap(([entryPoint, all]) =>
    all
      .filter(({ doc, file }) => doc === '' && !file.startsWith(OF_KUBERNETES))
      .map(({ name, file }) => `${entryPoint}: ${name} (${file}) has no doc comment`),
  );
}

describe('the API reference', () => {
  let exports: Map<string, PublicExport[]>;

  beforeAll(() => {
    exports = publicExports(ROOT);
  });

  it('R-6.6 every public export of the package has a doc comment', () => {
    expect(exports.get('lib/index.ts')?.length).toBeGreaterThan(100);
    expect(undocumented(exports)).toEqual([]);
  });

  it('R-6.6 docs/reference is what the doc comments say (node build/api-reference.ts writes it)', () => {
    const pages = referencePages(exports);
    expect(globSync('*', { cwd: FOLDER }).sort()).toEqual([...pages.keys()].sort());
    for (const [file, text] of pages) expect([file, readFileSync(join(FOLDER, file), 'utf8')]).toEqual([file, text]);
  });

  it('R-6.6 every entry point of package.json has a page', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, string | { default: string }>;
    };
    const targets = Object.values(manifest.exports).map((entry) => (typeof entry === 'string' ? entry : entry.default));
    const sources = targets.flatMap((target) =>
      target.endsWith('.js') ? [target.replace('./dist/', '').replace(/\.js$/, '.ts')] : [],
    );
    expect(sources.every((source) => existsSync(join(ROOT, source)))).toBe(true);
    expect([...new Set(PAGES.map(({ entryPoint }) => entryPoint))].sort()).toEqual(sources.sort());
  });
});
