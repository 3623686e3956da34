import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldSchema } from '../../../lib/controllers/field-note.ts';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { withAuthorGroups } from '../../../lib/deployment/author/author-groups.ts';
import { groupSection } from '../../../lib/deployment/author/group-section.ts';
import { settingsReference } from '../../../lib/deployment/settings/settings-reference.ts';
import { settingsSchemaOf } from '../../../lib/deployment/settings/settings-schema.ts';
import { defineGroup, duration } from '../../../lib/index.ts';
import { Zones, zoneController } from '../../kit/group/groups.ts';

const noteOf = (field: z.ZodType) => {
  const section = groupSection(defineGroup({ name: 'a', settings: z.object({ field }) }));
  const inner = fieldSchema(section).shape?.field;
  return inner === undefined ? undefined : fieldSchema(inner).note;
};

describe('the section of an author', () => {
  it.each<[z.ZodType, string, string | undefined]>([
    [z.string(), 'a text', undefined],
    [z.string().min(1).max(9), 'a text of 1 to 9 characters', undefined],
    [z.string().max(9).optional(), 'a text of 9 characters or less', undefined],
    [z.string().min(2).default('on'), 'a text of 2 characters or more', '"on"'],
    [z.url().meta({ examples: ['https://a.example'] }), 'a URL', 'https://a.example'],
    [z.email(), 'a text of the format email', undefined],
    [z.int().min(1).max(5).default(3), 'a whole number from 1 to 5', '3'],
    [z.int(), 'a whole number', undefined],
    [z.number().min(0.5), 'a number of 0.5 or more', undefined],
    [z.number().max(7), 'a number of 7 or less', undefined],
    [z.boolean().prefault(true), 'true or false', 'true'],
    [z.enum(['red', 'green']).optional(), 'one of red, green', undefined],
    [z.literal('red'), 'red', undefined],
    [z.array(z.int()).default([1, 2]), 'a list, each entry a whole number', '[1,2]'],
    [z.union([z.int(), z.literal('all')]), 'a whole number, or all', undefined],
    [z.record(z.string(), z.string()), 'a section of names and values', undefined],
    [z.string().transform(Number), 'a text', undefined],
    [z.bigint(), 'a value that the schema of the group accepts', undefined],
    [duration(), 'a text of 64 characters or less', undefined],
  ])('R-6.4 a setting is described by what its schema accepts, in row %#', (field, allowed, example) => {
    expect(noteOf(field)).toEqual({ about: '', allowed, ...(example !== undefined && { example }) });
  });

  it.each([
    z.string().describe('What it is.').optional(),
    z.string().optional().describe('What it is.'),
    z.string().meta({ description: 'What it is.' }).default('a'),
  ])('R-6.9 a setting has the description of its schema, in row %#', (field) => {
    expect(noteOf(field)?.about).toBe('What it is.');
  });

  it('R-6.9 the settings page shows the group with its settings, descriptions, defaults and files of secrets', () => {
    const groups = withAuthorGroups([zoneController()], [Zones.definition as DesiredObject]);
    const page = settingsReference(groups, 'printed');
    for (const row of [
      '| `groups.dns.server` | a URL |  | The address of the DNS server. |',
      '| `groups.dns.ttl` | a whole number from 60 to 86400 | `300` | The lifetime of a record, in seconds. |',
      '| `groups.dns.limits.zones` | a whole number of 1 or more | `100` |  |',
      '| `groups.dns.secretFiles.api-token` | the path of a file |  | File with the token of the DNS account, for one machine. A cloud deployment reads it from Secrets Manager. |',
      '| `dns` | Keeps zones on a DNS server. | Zone |  |',
    ]) {
      expect(page).toContain(row);
    }
    expect(page).not.toContain('settings-reference.ts');
    const example = /```yaml\n(?<yaml>[\s\S]*?)```/.exec(page)?.groups?.yaml;
    expect(example).toContain(
      '  dns:\n    server: https://dns.example.com\n    ttl: 300\n    limits:\n      zones: 100\n',
    );
  });

  it('R-6.4 a refinement of the author holds when the section is parsed', () => {
    const settings = z
      .object({ min: z.int(), max: z.int() })
      .refine(({ min, max }) => min <= max, { path: ['min'], message: 'min is more than max' });
    const section = groupSection(defineGroup({ name: 'a', settings, secrets: { key: 'the key' } }));
    expect(section.safeParse({ min: 1, max: 2 }).data).toEqual({ min: 1, max: 2, secretFiles: {} });
    expect(section.safeParse({ min: 3, max: 2 }).error?.issues).toMatchObject([{ path: ['min'] }]);
    expect(section.safeParse({ min: 1, max: 2, more: 1 }).success).toBe(false);
  });

  it('R-6.9 a group without settings and secrets takes an empty section and nothing else', () => {
    const schema = settingsSchemaOf(withAuthorGroups([]));
    expect(schema.safeParse({ groups: { dns: {} } }).success).toBe(false);
    const section = groupSection(defineGroup({ name: 'dns' }));
    expect(section.safeParse({}).data).toEqual({});
    expect(section.safeParse({ a: 1 }).success).toBe(false);
  });
});
