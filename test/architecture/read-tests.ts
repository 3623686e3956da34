import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const REQUIREMENTS_PAGE = `${ROOT}docs/requirements.md`;

/** The source of every test and contract suite, by path from the repository's root. */
export function readTests(): Record<string, string> {
  const paths = globSync(['test/**/*.test.ts', 'test/**/*.contract.ts', 'test/**/*.suite.ts'], { cwd: ROOT });
  // The page's own test quotes titles that are not titles of tests.
  const others = paths.filter((path) => path !== 'test/architecture/requirements.test.ts');
  return Object.fromEntries(others.sort().map((path) => [path, readFileSync(`${ROOT}${path}`, 'utf8')]));
}
