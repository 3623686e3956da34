import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fieldSchema, schemaAt } from '../../../lib/controllers/field-note.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { secretVariable } from '../../../lib/deployment/cloud/cloud-names.ts';
import { GROUPS } from '../../../lib/deployment/groups/registered-groups.ts';
import { bundledControllers } from '../../../lib/deployment/installation/bundled-controllers.ts';

const ROOT = new URL('../../../', import.meta.url);
const TAKEN = ['STAGE', 'VERSION', 'SETTINGS', 'TABLE', 'DEPLOYMENT', 'QUEUES', 'WAKES', 'LOG_LEVEL', 'IDENTITY'];

describe('the manifests of the controller groups', () => {
  it('R-6.9 each CRD that is shipped belongs to one group, and each kind of a group has one', () => {
    const kinds = GROUPS.flatMap((group) => group.kinds.map(({ type }) => `${kindId(type)}.yaml`));
    expect(kinds.sort()).toEqual(readdirSync(new URL('infra/kubernetes/crds', ROOT)).sort());
  });

  it.each(GROUPS.map((group) => [group.name, group] as const))(
    'R-6.9 %s has controllers of its own name and kinds, pages that exist, and settings that its files and secrets name',
    (name, { kinds, pages, section, files = [], secrets = [] }) => {
      const controllers = bundledControllers().filter((controller) => controller.group === name);
      const brought = kinds.map(({ type }) => kindId(type));
      const foreign = controllers.filter(({ type }) => type.group !== '' && !brought.includes(kindId(type)));
      expect(controllers.length).toBeGreaterThan(0);
      expect(foreign).toEqual([]);
      for (const page of pages) expect(existsSync(new URL(page, ROOT)), page).toBe(true);
      const paths = [
        ...files.map(({ path }) => path),
        ...secrets.flatMap(({ file }) => (file === undefined ? [] : [file])),
      ];
      for (const path of paths) expect(fieldSchema(schemaAt(section, path)!).note, path.join('.')).toBeDefined();
    },
  );

  it('R-6.9 no secret of a group has the variable of something else, and groups that share one agree on it', () => {
    const secrets = GROUPS.flatMap((group) => group.secrets ?? []);
    for (const { name } of secrets) expect(TAKEN.map((part) => `EVENKEEL_${part}`)).not.toContain(secretVariable(name));
    const shown = new Set(
      secrets.map(({ name, what, why, madeBy, statement }) => [name, what, why, madeBy, statement].join()),
    );
    expect(shown.size).toBe(new Set(secrets.map(({ name }) => name)).size);
  });
});
