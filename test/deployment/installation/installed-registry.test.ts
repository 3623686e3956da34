import { describe, expect, it } from 'vitest';
import { installedRegistry } from '../../../lib/deployment/installation/installed-registry.ts';
import { parseSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { exampleSettings } from '../../../lib/deployment/settings/settings-reference.ts';
import type { IdentityProvider } from '../../../lib/ports/identity-provider.ts';

const WRITTEN = {
  'secret-contract': { mutation: { allow: true, digestKeyFile: '/keys/digest' } },
  'control-plane': {
    parentGateway: { namespace: 'edge', name: 'public', sectionName: 'https' },
    identity: {
      server: 'https://id.example.org',
      realm: 'master',
      clientId: 'evenkeel',
      clientSecretFile: '/keys/identity',
      ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
      caFile: '/keys/ca.pem',
      realms: [{ namespaces: ['a'], realms: ['shop'], redirectHosts: ['*.a.example.org'] }],
      check: '10m',
    },
    routes: [{ namespaces: ['a'], hosts: ['a.example.org'] }],
  },
  t4: {
    runtimeImage: `registry.example/t4/runtime@sha256:${'ab'.repeat(32)}`,
    omp: {
      configMap: { name: 'omp', modelsKey: 'models.yml', settingsKey: 'settings.yml' },
      secret: { name: 'omp', keys: ['token'] },
    },
  },
};

/** JSON is YAML, too. */
function versionsOf(
  groups: object,
  parts: Parameters<typeof installedRegistry>[1] = { secrets: { 'digest-key': 'k'.repeat(32) } },
) {
  const settings = parseSettings(JSON.stringify({ groups }), 'settings.yml');
  const { controllers } = installedRegistry(settings, parts);
  return Object.fromEntries(controllers.map(({ name, version }) => [name, version]));
}

type Path = readonly string[];

function leavesOf(value: unknown, path: Path = []): [Path, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, field]) => leavesOf(field, [...path, name]));
}

function withLeaf(value: object, [name = '', ...rest]: Path, leaf: unknown): object {
  const field = (value as Record<string, unknown>)[name];
  return { ...value, [name]: rest.length === 0 ? leaf : withLeaf(field as object, rest, leaf) };
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, typeof value[0] === 'string' ? 'second' : value[0]];
  const text = String(value);
  if (text === '10m') return '20m';
  if (text.includes('CERTIFICATE')) return text.repeat(2);
  return text.includes('@sha256:') ? text.replaceAll('ab', 'cd') : `${text}2`;
}

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, reversed(field)]);
  return Object.fromEntries(entries.reverse());
}

/** Where secrets and certificates lie. A new one is read by the next process that needs it, and changes nothing that is judged. */
const SECRET_FILES = ['digestKeyFile', 'clientSecretFile', 'ca', 'caFile'];
const RESTS_ON: Readonly<Record<string, string>> = {
  'secret-contract': 'secret-contract',
  'control-plane': 'gateway',
  t4: 't4-session',
};

describe('the versions of the installed controllers', () => {
  it('R-5.15 every setting of a controller group is looked at below', () => {
    const { groups } = exampleSettings() as { groups: object };
    const fieldsOf = (value: object) => leavesOf(value).map(([path]) => path.join('.'));
    expect(fieldsOf(WRITTEN).sort()).toEqual(fieldsOf(groups).sort());
  });

  const before = versionsOf(WRITTEN);
  const changed = (after: Record<string, string>) => Object.keys(before).filter((name) => before[name] !== after[name]);

  it.each(leavesOf(WRITTEN).map(([path, value]) => ({ field: path.join('.'), path, value })))(
    'R-5.15 groups.$field changes that of the controllers that judge by it, and no other',
    ({ path, value }) => {
      const after = versionsOf(withLeaf(WRITTEN, path, otherThan(value)));
      const [group = ''] = path;
      expect(changed(after)).toEqual(SECRET_FILES.includes(path.at(-1) ?? '') ? [] : [RESTS_ON[group]]);
    },
  );

  it('R-5.15 are the same in a process that runs no passes, with any order of the settings', () => {
    // The cloud's resync function makes no clients, and has a stand-in for the key.
    expect(
      versionsOf(reversed(WRITTEN) as object, { secrets: { 'digest-key': 'this function runs no pass' } }),
    ).toEqual(before);
    const clients = { 'control-plane': { server: 'https://id.example.org' } as IdentityProvider };
    expect(versionsOf(WRITTEN, { secrets: { 'digest-key': 'another key, of 32 bytes or so' }, clients })).toEqual(
      before,
    );
  });

  it('R-5.15 are the same whether a default is written down or left out', () => {
    const { realm: _, clientId: __, check: ___, ...identity } = WRITTEN['control-plane'].identity;
    const left = { ...WRITTEN, 'control-plane': { ...WRITTEN['control-plane'], identity } };
    expect(versionsOf(left)).toEqual(before);
  });
});
