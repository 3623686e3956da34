import { describe, expect, it } from 'vitest';
import { folderCycles } from './folder-cycles.ts';
import { importSpecifiers } from './import-specifiers.ts';
import { layerBreaches } from './layer-rules.ts';
import { readSources } from './read-sources.ts';

const SOURCES = ['lib', 'functions', 'cli', 'infra', 'build'];

describe('the folders', () => {
  it('folders, and files of one folder, import each other in one direction', () => {
    const files = readSources(SOURCES);
    expect(Object.keys(files).length).toBeGreaterThan(500);
    expect(folderCycles(files)).toEqual([]);
  });

  const imports = (...paths: string[]) => paths.map((path) => `import { a } from '${path}';`).join('\n');

  it.each<[string, Record<string, string>]>([
    [
      'two folders import each other',
      { 'lib/a/x.ts': imports('../b/y.ts'), 'lib/b/z.ts': imports('../a/w.ts'), 'lib/b/y.ts': '', 'lib/a/w.ts': '' },
    ],
    [
      'three folders import each other in a ring',
      { 'cli/a/x.ts': imports('../b/y.ts'), 'cli/b/y.ts': imports('../c/z.ts'), 'cli/c/z.ts': imports('../a/w.ts') },
    ],
    [
      'a folder and a file next to it import each other',
      { 'lib/g/claim.ts': imports('./workspace/spec.ts'), 'lib/g/workspace/keep.ts': imports('../claim.ts') },
    ],
    [
      'folders below two siblings import each other',
      { 'lib/a/deep/x.ts': imports('../../b/y.ts'), 'lib/b/deep/y.ts': imports('../../a/other/z.ts') },
    ],
    ['files of one folder import each other', { 'lib/a/x.ts': imports('./y.ts'), 'lib/a/y.ts': imports('./x.ts') }],
    [
      'the way back is a type or a late import',
      { 'lib/a/x.ts': "import type { B } from '../b/y.ts';", 'lib/b/y.ts': "const a = await import('../a/z.ts');" },
    ],
  ])('a cycle is found when %s', (_, files) => {
    expect(folderCycles(files)).toHaveLength(1);
  });

  it('a cycle is described by its folders and an import of each step', () => {
    const files = { 'lib/a/x.ts': imports('../b/y.ts'), 'lib/b/y.ts': imports('../a/z.ts') };
    const steps = 'lib/a/x.ts imports lib/b/y.ts; lib/b/y.ts imports lib/a/z.ts';
    expect(folderCycles(files)).toEqual([`lib/a -> lib/b -> lib/a: ${steps}`]);
  });

  it.each<[string, Record<string, string>]>([
    ['one folder imports the other', { 'lib/a/x.ts': imports('../b/y.ts'), 'lib/b/y.ts': '' }],
    [
      'a folder uses one file of the folder above, and another one uses the folder',
      { 'lib/g/top.ts': imports('./part/x.ts'), 'lib/g/part/x.ts': imports('../bottom.ts'), 'lib/g/bottom.ts': '' },
    ],
    ['one file of a folder imports another', { 'lib/a/x.ts': imports('./y.ts'), 'lib/a/y.ts': '' }],
    [
      'the import stands in a comment',
      { 'lib/a/x.ts': imports('../b/y.ts'), 'lib/b/y.ts': `// ${imports('../a/x.ts')}` },
    ],
  ])('none is found when %s', (_, files) => {
    expect(folderCycles(files)).toEqual([]);
  });
});

describe('the layers', () => {
  it('imports point one way: core, ports, engine and controllers, adapters, deployment, functions and command line', () => {
    const files = readSources(SOURCES);
    expect(Object.keys(files).length).toBeGreaterThan(20);
    expect(layerBreaches(files)).toEqual([]);
  });

  it.each([
    ['core imports a port', 'lib/core/a.ts', "import type { Clock } from '../ports/clock.ts';"],
    ['core imports a package', 'lib/core/a.ts', "import { z } from 'zod';"],
    ['core reads files', 'lib/core/a.ts', "import { readFileSync } from 'node:fs';"],
    ['a port imports an adapter', 'lib/ports/a.ts', "export * from '../adapters/aws/b.ts';"],
    ['the engine imports an adapter', 'lib/engine/a.ts', "import { B } from '../adapters/memory/b.ts';"],
    ['the engine imports a controller', 'lib/engine/a.ts', "import type { B } from '../controllers/b/b.ts';"],
    ['the engine loads an adapter late', 'lib/engine/a.ts', "const b = await import('../adapters/aws/b.ts');"],
    ['the kit imports the engine', 'lib/kit/a.ts', "import { B } from '../engine/b.ts';"],
    ['the kit imports a controller', 'lib/kit/a.ts', "import { B } from '../controllers/b/b.ts';"],
    ['the kit imports a package', 'lib/kit/a.ts', "import { RE2JS } from 're2js';"],
    ['the engine imports the kit', 'lib/engine/a.ts', "import { B } from '../kit/b.ts';"],
    ['a controller imports the engine', 'lib/controllers/a/a.ts', "import { B } from '../../engine/b.ts';"],
    ['a controller imports another one', 'lib/controllers/a/a.ts', "import { B } from '../b/b.ts';"],
    ['a controller imports an adapter', 'lib/controllers/a/a.ts', "import { B } from '../../adapters/aws/b.ts';"],
    ['a controller imports its manifest', 'lib/controllers/a/a.ts', "import { b } from './group.ts';"],
    ['a manifest imports another group', 'lib/controllers/a/group.ts', "import { B } from '../b/b.ts';"],
    ['a manifest imports the deployment', 'lib/controllers/a/group.ts', "import { B } from '../../deployment/b.ts';"],
    ['what all groups share imports one', 'lib/controllers/field.ts', "import { B } from './b/b.ts';"],
    ['the command line imports a controller', 'cli/a.ts', "import { B } from '../lib/controllers/b/b.ts';"],
    ['the registration imports a controller', 'lib/controllers/groups.ts', "export { B } from './b/b.ts';"],
    ['the deployment imports a manifest', 'lib/deployment/a.ts', "import { b } from '../controllers/b/group.ts';"],
    ['the engine imports the registration', 'lib/engine/a.ts', "import * as b from '../controllers/groups.ts';"],
    ['an adapter imports the engine', 'lib/adapters/aws/a.ts', "import '../../engine/b.ts';"],
    ['a function imports an adapter', 'functions/reconcile.ts', "import { B } from '../lib/adapters/aws/b.ts';"],
    ['the command line imports an adapter', 'cli/a.ts', "import { B } from '../lib/adapters/aws/b.ts';"],
    ['a function imports the command line', 'functions/a.ts', "import { B } from '../cli/b.ts';"],
    ['the deployment imports the command line', 'lib/deployment/a.ts', "import { B } from '../../cli/b.ts';"],
    ['the deployment imports an adapter', 'lib/deployment/a.ts', "import { B } from '../adapters/aws/b.ts';"],
    ['the engine imports the deployment', 'lib/engine/a.ts', "import { B } from '../deployment/b.ts';"],
    ['infra imports an adapter', 'infra/a.ts', "import { B } from '../lib/adapters/aws/b.ts';"],
    ['infra imports what builds the package', 'infra/a.ts', "import { B } from '../build/b.ts';"],
    ['infra imports the command line', 'infra/a.ts', "import { B } from '../cli/b.ts';"],
    ['build imports a controller', 'build/a.ts', "import { B } from '../lib/controllers/b/b.ts';"],
    ['the embedded API server imports the engine', 'lib/apiserver/a.ts', "import { B } from '../engine/b.ts';"],
    ['an adapter imports its sibling', 'lib/adapters/keycloak/a.ts', "import { B } from '../kubernetes/b.ts';"],
    ['a shared adapter imports one that is not', 'lib/adapters/http/a.ts', "import { B } from '../kubernetes/b.ts';"],
    ['the exports reach an adapter', 'lib/index.ts', "export { B } from './adapters/aws/b.ts';"],
    [
      'an invariant imports the engine that it judges',
      'lib/testing/simulation/invariants/a.ts',
      "import type { B } from '../../../engine/pass/b.ts';",
    ],
    ['a file lies beside the layers', 'lib/utils/a.ts', 'export const a = 1;'],
    ['a test is imported', 'lib/engine/a.ts', "import { b } from '../../test/b.ts';"],
    ['the engine reads the clock', 'lib/engine/a.ts', 'const now = Date.now();'],
    ['the engine sets a timer', 'lib/engine/a.ts', 'setTimeout(go, 5);'],
    ['an adapter draws an id', 'lib/adapters/aws/a.ts', "import { randomUUID } from 'node:crypto';"],
    ['a function rolls dice', 'functions/a.ts', 'const jitter = Math.random();'],
  ])('a broken rule is found: %s', (_title, path, source) => {
    expect(layerBreaches({ [path]: source })).toHaveLength(1);
  });

  it.each([
    ['lib/core/hash.ts', "import { createHash } from 'node:crypto';"],
    ['lib/engine/a.ts', "import { b } from '../core/b.ts'; import { c } from './c.ts'; // import '../adapters/x.ts'"],
    ['lib/engine/a.ts', 'const now = clock.now(); const text = "call Date" + ".now()"; // Date.now()'],
    ['lib/controllers/a/a.ts', "import { RE2JS } from 're2js'; import { b } from './b.ts';"],
    ['lib/controllers/a/a.ts', "import { b } from '../../kit/b.ts';"],
    ['lib/kit/a.ts', "import { z } from 'zod'; import { b } from '../core/b.ts'; import { c } from '../ports/c.ts';"],
    ['lib/controllers/a/a.ts', "import { noted } from '../field-note.ts';"],
    ['lib/controllers/a/group.ts', "import { B } from '../../adapters/keycloak/b.ts'; import { c } from './c.ts';"],
    ['lib/controllers/a/group.ts', "import type { ControllerGroup } from '../group.ts';"],
    ['lib/controllers/groups.ts', "export { a } from './a/group.ts';"],
    ['lib/deployment/groups/a.ts', "import * as registered from '../../controllers/groups.ts';"],
    ['lib/adapters/system/system-clock.ts', 'export const now = () => Date.now();'],
    ['lib/adapters/keycloak/a.ts', "import { B } from '../http/b.ts';"],
    ['lib/deployment/wiring-cloud.ts', "import { B } from '../adapters/aws/b.ts';"],
    ['cli/wiring-local.ts', "import { B } from '../lib/adapters/local/b.ts';"],
    ['cli/start.ts', "import { wire } from './wiring.ts';"],
  ])('what is allowed passes: %s', (path, source) => {
    expect(layerBreaches({ [path]: source })).toEqual([]);
  });
});

describe('importSpecifiers', () => {
  it('finds every form of import and none in comments', () => {
    const source = `
      import a from './a.ts';
      import type { B } from "./b.ts";
      import {
        c,
      } from './c.ts';
      import './d.ts';
      export * from './e.ts';
      export type { F } from './f.ts';
      const g = await import('./g.ts');
      // import './no.ts';
      /* export * from './no.ts'; */
      const text = 'http://x'; import h from './h.ts';
    `;
    expect(importSpecifiers(source).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((n) => `./${n}.ts`));
  });
});
