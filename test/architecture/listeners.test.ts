import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutComments } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Listens in a pod for its kubelet, which has no credential. A request without a credential learns only whether the
 * process lives.
 */
const FOR_ANOTHER_MACHINE = new Set(['lib/deployment/cloud/probes.ts']);
/**
 * Listens on a file that only this user may open, in a directory with the same rights. It does not parse what arrives.
 */
const ON_A_PRIVATE_FILE = new Set(['lib/adapters/sqlite/wake-sockets.ts']);

/** Code that creates a server: Node's own modules, and packages that listen. */
const MAKES_A_SERVER = /\bcreate(?:Secure)?Server\b|from '(?:dynalite|fauxqs|fastify|ws)'/;
const IS_GUARDED = /\b(?:guardServer|refusalOf)\(/;

function unguarded(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .map(([path, source]) => [path, withoutComments(source)] as const)
    .filter(([, code]) => MAKES_A_SERVER.test(code) && !IS_GUARDED.test(code))
    .filter(([path]) => !FOR_ANOTHER_MACHINE.has(path) && !ON_A_PRIVATE_FILE.has(path))
    .map(([path]) => path);
}

describe('what listens', () => {
  it('R-5.24 every file that makes a server puts the guard before it', () => {
    const paths = globSync(['lib/**/*.ts', 'functions/**/*.ts', 'cli/**/*.ts'], { cwd: ROOT });
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]));
    expect(Object.values(files).filter((source) => MAKES_A_SERVER.test(source)).length).toBeGreaterThan(3);
    expect(unguarded(files)).toEqual([]);
  });

  it.each([
    "import { createServer } from 'node:http'; createServer(answer).listen(0);",
    "import dynalite from 'dynalite'; dynalite({}).listen(0); // guardServer(server)",
    "import { createSecureServer } from 'node:http2';",
  ])('R-5.24 the rule finds a file when it makes a server without the guard: %s', (source) => {
    expect(unguarded({ 'lib/adapters/a.ts': source })).toEqual(['lib/adapters/a.ts']);
  });
});
