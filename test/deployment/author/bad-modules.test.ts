import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modulesOf } from '../../../lib/deployment/author/own-controllers.ts';

const INDEX = fileURLToPath(new URL('../../../lib/index.ts', import.meta.url));
const ZOD = fileURLToPath(new URL('../../../node_modules/zod', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-bad-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ZOD, join(folder, 'node_modules', 'zod'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * The beginning of every module: a correct kind and a correct controller. test/e2e/dev.test.ts tests a module that does
 * not compile, with Node.js's own loader.
 */
const HEAD = `
const type = { group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true };
const reconcile = async () => ({ outcome: { type: 'settled' } });
const banner = { name: 'banner', group: 'banner', type, owns: [], reads: [], version: '1', reconcile };
const crd = (version) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'banners.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'banners', kind: 'Banner' }, versions: [version] },
});
`;
const RIGHT = "export const definitions = [crd({ name: 'v1', served: true, subresources: { status: {} } })];";

async function faultsOf(source: string, text = `${HEAD}${source}`): Promise<string> {
  const file = join(folder, 'controllers.ts');
  writeFileSync(file, text);
  const error = await modulesOf([file], { wholeErrors: true }).then(
    () => undefined,
    (caught: Error) => caught,
  );
  return (error?.message ?? 'accepted').replaceAll(`${folder}/`, '');
}

describe('a module with controllers', () => {
  it('R-6.6 is accepted when everything in it is right', async () => {
    expect(await faultsOf(`export const controllers = [banner]; ${RIGHT}`)).toBe('accepted');
  });

  it.each<[string, string, string]>([
    [
      'a kind without a status',
      "export const controllers = [banner]; export const definitions = [crd({ name: 'v1', served: true })];",
      'controllers.ts: definitions[0]: version v1 has no status. Add subresources: {status: {}} to it.',
    ],
    [
      'two controllers of one kind',
      "export const controllers = [banner, { ...banner, name: 'other' }];",
      'controllers.ts: controllers[1]: the kind banners.example.com is in use already: controllers.ts: controllers[0]. Remove one of them.',
    ],
    [
      'two controllers of one name',
      "export const controllers = [banner, { ...banner, type: { ...type, plural: 'flags', kind: 'Flag' } }];",
      'controllers.ts: controllers[1]: the name banner is in use already: controllers.ts: controllers[0]. Remove one of them.',
    ],
    [
      "the field manager of evenkeel's own writes",
      "export const controllers = [{ ...banner, name: 'install' }];",
      "controllers.ts: controllers[0].name: the field manager evenkeel-install is evenkeel's own; use another name, such as install-controller.",
    ],
    [
      'a reserved controller group',
      "export const controllers = [{ ...banner, group: 'relay' }];",
      'controllers.ts: controllers[0].group: relay is reserved for evenkeel; use another one, such as banner-group.',
    ],
    [
      'the controller group whose folder of roles all groups share',
      "export const controllers = [{ ...banner, group: 'shared' }];",
      'controllers.ts: controllers[0].group: shared is reserved for evenkeel; use another one, such as banner-group.',
    ],
    [
      'a schema that is not structural',
      `import { defineKind } from '${INDEX}'; import { z } from 'zod'; defineKind({ group: 'example.com', version: 'v1', kind: 'Flag', spec: z.object({ a: z.union([z.string(), z.object({})]) }) });`,
      'spec.a: ',
    ],
    [
      'a finalizer without finalize',
      "export const controllers = [{ ...banner, finalizer: 'example.com/banner' }];",
      'controllers.ts: controllers[0].finalizer: must be there together with finalize, or neither.',
    ],
    [
      'a version that is not served',
      "export const controllers = [banner]; export const definitions = [crd({ name: 'v1', served: false, subresources: { status: {} } })];",
      'controllers.ts: controllers[0].type.version: is v1, and controllers.ts: definitions[0] says served: .',
    ],
    [
      'a reserved condition',
      `import { defineController, defineKind, settled } from '${INDEX}'; import { z } from 'zod'; export const controllers = [defineController({ kind: defineKind({ group: 'example.com', version: 'v1', kind: 'Flag', spec: z.object({}) }), conditions: ['Ready'], reconcile: async () => settled() })];`,
      'conditions: the engine computes Ready; leave it out',
    ],
    [
      'an error at import',
      "throw new RangeError('no banner');",
      'it threw while it was loaded:\nRangeError: no banner',
    ],
    ['no controllers', 'export const banners = [banner];', 'controllers.ts: it exports no controllers, but banners.'],
  ])('R-6.4 is refused with file, path and remedy when it has %s', async (_, source, fault) => {
    expect(await faultsOf(source)).toContain(fault);
  });
});
