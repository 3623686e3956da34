import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutComments } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['lib', 'functions', 'cli', 'infra', 'bench', 'build', 'bin', 'test'];
const ASSEMBLY = 'lib/engine/runtime/';

/** The classes that only the assembly creates, each with the folder of the class's own tests. */
const ASSEMBLED: Readonly<Record<string, string>> = {
  PassRunner: 'test/engine/pass/',
  BatchRunner: 'test/engine/batch/',
  QueueWorker: 'test/engine/worker/',
  Relay: 'test/engine/relay/',
  Sweep: 'test/engine/sweep/',
  WakeHandler: 'test/engine/wake/',
  PollRunner: 'test/engine/poll/',
  FanoutRunner: 'test/engine/fanout/',
  ClusterGate: 'test/engine/breaker/',
  GuardedGate: 'test/engine/deployment-lease/',
  VerifiedClusterApi: 'test/engine/cluster-identity/',
  CoalescingDeleter: 'test/engine/batch/',
};
/** The file that defines a class may create instances of it. */
const OWN_FILES: Readonly<Record<string, string>> = {
  VerifiedClusterApi: 'lib/engine/cluster-identity/verified-cluster-api.ts',
};

/** Every place outside the assembly that creates one of the classes. */
function strayAssemblies(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([path, source]) => {
    if (path.startsWith(ASSEMBLY)) return [];
    const code = withoutComments(source);
    return Object.entries(ASSEMBLED)
      .filter(([name, tests]) => !path.startsWith(tests) && OWN_FILES[name] !== path)
      .filter(([name]) => new RegExp(`\\bnew\\s+${name}\\b`).test(code))
      .map(([name]) => `${path}: makes a ${name}; call what ${ASSEMBLY} offers`);
  });
}

function sources(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const folder of FOLDERS) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.[jt]s$/.test(entry.name) || entry.parentPath.includes('node_modules')) continue;
      const path = join(entry.parentPath, entry.name);
      files[path.slice(ROOT.length)] = readFileSync(path, 'utf8');
    }
  }
  return files;
}

describe('the assembly of the engine', () => {
  it('R-6.3 lib/engine/runtime alone makes the parts of the engine, apart from the tests of each part', () => {
    const { 'test/architecture/one-assembly.test.ts': _, ...files } = sources();
    expect(Object.keys(files).length).toBeGreaterThan(500);
    expect(strayAssemblies(files)).toEqual([]);
  });

  it.each(Object.keys(ASSEMBLED))('the check finds a %s that a function, the simulator or a test makes', (name) => {
    const code = `const part = new ${name}({ clock });`;
    for (const path of ['functions/a.ts', 'lib/testing/simulation/a.ts', 'test/support/a.ts', 'bench/a.ts'])
      expect(strayAssemblies({ [path]: code })).toHaveLength(1);
  });

  it.each(Object.entries(ASSEMBLED))(
    'the check lets the assembly and the tests of the class make a %s',
    (name, tests) => {
      const code = `const part = new ${name}({ clock });`;
      expect(strayAssemblies({ [`${ASSEMBLY}a.ts`]: code, [`${tests}a.test.ts`]: code })).toEqual([]);
      expect(strayAssemblies({ 'functions/a.ts': `// new ${name}()\nconst x: ${name} = y;` })).toEqual([]);
    },
  );
});
