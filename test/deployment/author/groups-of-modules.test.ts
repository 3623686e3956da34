import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ownControllers } from '../../../lib/deployment/author/own-controllers.ts';
import { packageRoot } from '../../../lib/deployment/package/package-root.ts';
import { settingsOf, settingsToLeave } from '../../../lib/deployment/settings/load-settings.ts';

const CANARY = 'canary-52c8';

const MODULE = `
import { defineController, defineGroup, defineKind, settled } from 'evenkeel';
import { z } from 'zod';
const kind = defineKind({ group: 'example.com', version: 'v1', kind: 'Zone', spec: z.object({ a: z.string().max(9).optional() }), status: z.object({ seen: z.string() }) });
export const dns = defineGroup({
  name: 'dns',
  settings: z.object({
    server: z.url().describe('The address.').meta({ examples: ['https://dns.example.com'] }),
    ttl: z.int().min(60).max(600).default(300),
  }),
  secrets: { 'api-token': 'the token of the DNS account' },
});
export const zone = defineController({ kind, group: dns, async reconcile(_, context) {
  const { server, ttl } = context.settings;
  return { outcome: settled(), status: { seen: [server, ttl, (await context.secret('api-token')).length].join(' ') } };
} });
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-groups-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  symlinkSync(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'token'), `${CANARY}\n`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settingsFile = () => join(folder, 'settings.yaml');

/** Writes the module and the settings, and loads both as `evenkeel start` does. */
async function load(settings: string, module = MODULE) {
  writeFileSync(join(folder, 'controllers.js'), module);
  writeFileSync(settingsFile(), `controllers: [./controllers.js]\n${settings}`);
  return await ownControllers(settingsOf(settingsFile()));
}

/** Runs one pass outside of the engine. */
async function seenBy(controller: Controller | undefined): Promise<unknown> {
  const object = {
    metadata: { name: 'a', namespace: 'b', uid: 'u', generation: 1 },
    spec: {},
  } as unknown as KubeObject;
  const result = await controller?.reconcile(object, { nowMs: 0 } as ReconcileContext);
  return result?.status?.seen;
}

const COMPLETE = `groups:
  dns:
    server: https://dns.example.com
    secretFiles:
      api-token: ./secrets/token
`;

/** Calls it without the rights of root, who may read every file. Another user calls it as it is. */
async function asNobody<Result>(call: () => Result): Promise<Awaited<Result>> {
  if (process.getuid?.() !== 0) return await call();
  for (const directory of [folder, join(folder, 'secrets')]) chmodSync(directory, 0o711);
  process.seteuid?.('nobody');
  try {
    return await call();
  } finally {
    process.seteuid?.(0);
  }
}

describe('the groups of an author on one machine', () => {
  it('R-6.9 controllers get the section of their group and the secret of the file when modules are loaded', async () => {
    const { controllers, secretFaults } = await load(COMPLETE);
    expect(controllers.map(({ group }) => group)).toEqual(['dns']);
    expect(await seenBy(controllers[0])).toBe(`https://dns.example.com 300 ${CANARY.length}`);
    expect(await secretFaults?.()).toEqual([]);
  });

  it('R-6.9 a changed secret is used in the next pass, without a restart', async () => {
    const { controllers } = await load(COMPLETE);
    writeFileSync(join(folder, 'secrets', 'token'), 'other');
    expect(await seenBy(controllers[0])).toBe('https://dns.example.com 300 5');
  });

  it.each([
    [
      'groups:\n  dns:\n    ttl: 60\n',
      /settings\.yaml:3:3: groups\.dns\.server: it is missing\. Allowed: a URL\. Example: `server: https:\/\/dns\.example\.com`/,
    ],
    [
      'groups:\n  dns:\n    server: https://a.b\n    ttl: 5\n',
      /settings\.yaml:5:5: groups\.dns\.ttl: 5 is too small\. Allowed: a whole number from 60 to 600\./,
    ],
    [
      'groups:\n  dns:\n    serverr: https://a.b\n',
      /settings\.yaml:4:5: groups\.dns\.serverr: there is no such setting\. Did you mean "?server"?/,
    ],
    ['groups:\n  dsn: {}\n', /settings\.yaml:3:3: groups\.dsn: there is no such setting\. Did you mean "?dns"?/],
    [
      'groups:\n  dns:\n    server: https://a.b\n    secretFiles: {token: x}\n',
      /settings\.yaml:5:19: groups\.dns\.secretFiles\.token: there is no such setting\./,
    ],
    ['groups: {dns: 5}\n', /settings\.yaml:2:10: groups\.dns: 5 is not allowed here\./],
    ['{}\n', undefined],
  ])('R-6.4 a section is refused with file, line and remedy when it is %j', async (settings, fault) => {
    await expect(load(settings === '{}\n' ? '' : settings)).rejects.toThrow(
      fault ?? /groups\.dns\.server: it is missing/,
    );
  });

  it('R-6.4 a required setting without a settings file is refused with the option that names one', async () => {
    writeFileSync(join(folder, 'controllers.js'), MODULE);
    const settings = settingsOf(undefined, [join(folder, 'controllers.js')]);
    await expect(ownControllers(settings)).rejects.toThrow(
      'no settings file is named (--settings FILE): groups.dns.server: it is missing.',
    );
    expect((await ownControllers(settings, { isConfigured: false })).controllers).toHaveLength(1);
  });

  it('R-6.8 a cluster can be left when the section of a group is refused', async () => {
    await load(COMPLETE);
    writeFileSync(settingsFile(), 'controllers: [./controllers.js]\ngroups: {dns: {gone: 1}}\n');
    const own = await ownControllers(settingsToLeave(settingsFile()), { isConfigured: false });
    expect(own.controllers.map(({ name }) => name)).toEqual(['zone']);
  });

  it.each([
    ['is not named', '', /^groups\.dns\.secretFiles\.api-token: is missing\. Name a file/],
    [
      'does not exist',
      '    secretFiles: {api-token: ./none}\n',
      /none, which groups\.dns\.secretFiles\.api-token names, cannot be read \(ENOENT\)\. Put the secret there/,
    ],
    ['is a folder', '    secretFiles: {api-token: ./secrets}\n', /secrets, which .* cannot be read \(EISDIR\)/],
    [
      'is empty',
      '    secretFiles: {api-token: ./empty}\n',
      /empty, which groups\.dns\.secretFiles\.api-token names, is empty\. Put the secret there\./,
    ],
  ])(
    'R-6.4 a secret is reported with file, setting and remedy, and stops no other group, when its file %s',
    async (_, files, fault) => {
      writeFileSync(join(folder, 'empty'), '\n');
      const { controllers, secretFaults } = await load(
        `groups:\n  dns:\n    server: https://dns.example.com\n${files}`,
      );
      expect(await secretFaults?.()).toEqual([expect.stringMatching(fault)]);
      await expect(seenBy(controllers[0])).rejects.toThrow(fault);
    },
  );

  it('R-6.4 a secret is reported when its file may not be read', async () => {
    chmodSync(join(folder, 'secrets', 'token'), 0);
    const { secretFaults } = await load(COMPLETE);
    expect(await asNobody(() => secretFaults?.())).toEqual([
      expect.stringMatching(/token, which .* cannot be read \(EACCES\)\. Make the file readable/),
    ]);
  });

  it('R-6.4 a module is refused when two groups of it have one name', async () => {
    const second = `
import { defineController as define, defineGroup as groupOf, defineKind as kindOf, settled as done } from 'evenkeel';
const other = kindOf({ group: 'example.com', version: 'v1', kind: 'Record', spec: z.object({ a: z.string().max(9).optional() }) });
export const record = define({ kind: other, group: groupOf({ name: 'dns' }), reconcile: async () => done() });`;
    await expect(load(COMPLETE, MODULE + second)).rejects.toThrow(
      /controllers\.js: (record|zone)\.group: .*controllers\.js: (record|zone) has another group of the same name dns\. Define it once, and import it\./,
    );
  });

  it('R-6.11 the older version goes on when the newer one has a new setting', async () => {
    const next = MODULE.replace('ttl:', 'zone: z.string().optional(),\n    ttl:').replace(
      'kind, group',
      "kind, version: '2', group",
    );
    await load(COMPLETE);
    writeFileSync(join(folder, 'next.js'), next);
    const rollout = 'rollout: {controllers: [./next.js], stages: [{percent: 50}], stage: 1}\n';
    writeFileSync(settingsFile(), `controllers: [./controllers.js]\n${rollout}${COMPLETE}    zone: a.example\n`);
    const own = await ownControllers(settingsOf(settingsFile()));
    expect(await seenBy(own.controllers[0])).toBe(`https://dns.example.com 300 ${CANARY.length}`);
    expect(own.rollouts?.map(({ next: { version } }) => version)).toEqual([expect.stringMatching(/^2-/)]);
  });
});
