import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { substitute } from '../../infra/cloudformation.ts';
import { permissionsOf } from '../../infra/permissions.ts';
import { serverlessParts } from '../../infra/serverless-parts.ts';
import { loadStageWithModules } from '../../infra/stage.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import type { ReconcileContext } from '../../lib/core/reconcile-context.ts';
import { withAuthorGroups } from '../../lib/deployment/author/author-groups.ts';
import { cloudGroupParts } from '../../lib/deployment/cloud/cloud-group-parts.ts';
import { decodeCloudSettings } from '../../lib/deployment/cloud/cloud-settings.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { packageRoot } from '../../lib/deployment/package/package-root.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';

const MODULE = `
import { defineController, defineGroup, defineKind, settled } from 'evenkeel';
import { z } from 'zod';
const spec = z.object({ a: z.string().max(9).optional() });
const status = z.object({ seen: z.string() });
const kind = (name) => defineKind({ group: 'example.com', version: 'v1', kind: name, spec, status });
const dns = defineGroup({ name: 'dns', settings: z.object({ server: z.url() }), secrets: { 'api-token': 'the token' } });
const reconcile = async (_, context) =>
  ({ outcome: settled(), status: { seen: [context.settings.server, await context.secret('api-token')].join(' ') } });
export const zone = defineController({ kind: kind('Zone'), group: dns, reconcile });
export const plain = defineController({ kind: kind('Plain'), reconcile: async () => settled() });
`;
const STAGE = `controllers: ./controllers.js
settings:
  groups:
    dns:
      server: https://dns.example.com
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-stage-'));
  mkdirSync(join(folder, 'stages'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'controllers.js'), MODULE);
  symlinkSync(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stageOf = (text: string) => {
  writeFileSync(join(folder, 'stages', 'test.yml'), text);
  return loadStageWithModules('test', folder);
};

/** Two functions of the stage, as they start in the cloud: what the pass of each sees. */
async function functionOf(identity: string, secrets: Record<string, string>) {
  const stage = await stageOf(STAGE);
  const { functions } = serverlessParts(stage);
  const { EVENKEEL_SETTINGS = '' } = (functions[`reconcile-${identity}`]?.environment ?? {}) as Record<string, string>;
  const groups = withAuthorGroups(stage.author?.controllers ?? [], stage.author?.definitions);
  const settings = decodeCloudSettings('test', EVENKEEL_SETTINGS, groups);
  const clock = new ManualClock();
  const asked: string[] = [];
  const store = {
    read: async (name: string) => {
      asked.push(name);
      return secrets[name];
    },
  };
  const environment = { EVENKEEL_STAGE: 'test', EVENKEEL_IDENTITY: identity, secrets: {} };
  const parts = await cloudGroupParts(environment, settings, store, clock, groups);
  const registry = installedRegistry(settings, parts);
  const zone = registry.controllers.find(({ name }) => name === 'zone');
  const object = {
    metadata: { name: 'a', namespace: 'b', uid: 'u', generation: 1 },
    spec: {},
  } as unknown as KubeObject;
  const seen = async () => (await zone?.reconcile(object, { nowMs: 0 } as ReconcileContext))?.status?.seen;
  return { registry, asked, clock, seen };
}

describe('the group of an author in the cloud', () => {
  it('R-5.12 only the function of the group may read its secret, and no other one', async () => {
    const stage = await stageOf(STAGE);
    const readsOf = (part: 'reconcile' | 'relay' | 'resync' | 'sweep' | 'wake', group?: string) =>
      permissionsOf(stage, { part, ...(group !== undefined && { group }) }).filter(({ sid }) =>
        sid.startsWith('ReadSecret'),
      );
    expect(readsOf('reconcile', 'dns')).toEqual([
      {
        sid: 'ReadSecretApiToken',
        actions: ['secretsmanager:GetSecretValue'],
        resources: [
          substitute(
            `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:evenkeel/test/dns/api-token-??????`,
          ),
        ],
      },
    ]);
    expect(readsOf('reconcile', 'plain')).toEqual([]);
    for (const part of ['relay', 'resync', 'sweep', 'wake'] as const) expect(readsOf(part)).toEqual([]);
  });

  it('R-6.9 a pass gets the deployed settings and the secret of the stage when the function of the group runs it', async () => {
    const { seen, asked } = await functionOf('dns', { 'evenkeel/test/dns/api-token': 'abc\n' });
    expect(await seen()).toBe('https://dns.example.com abc');
    expect(asked).toEqual(['evenkeel/test/dns/api-token']);
  });

  it('R-6.9 a function reads a secret again when five minutes have passed', async () => {
    const secrets = { 'evenkeel/test/dns/api-token': 'abc' };
    const { seen, asked, clock } = await functionOf('dns', secrets);
    await seen();
    secrets['evenkeel/test/dns/api-token'] = 'def';
    await clock.advance(299_999);
    expect(await seen()).toBe('https://dns.example.com abc');
    await clock.advance(1);
    expect(await seen()).toBe('https://dns.example.com def');
    expect(asked).toHaveLength(2);
  });

  it('R-6.4 a missing secret fails the passes of its group alone, with its name and what to do', async () => {
    const { seen, registry } = await functionOf('dns', {});
    await expect(seen()).rejects.toThrow(
      'there is no secret evenkeel/test/dns/api-token in Secrets Manager, or it is empty. Create it: aws secretsmanager create-secret --name evenkeel/test/dns/api-token --secret-string file://FILE',
    );
    expect(registry.groups().sort()).toEqual(['dns', 'plain']);
  });

  it('R-5.12 a function of another group reads no secret of the group', async () => {
    const { seen, asked } = await functionOf('plain', { 'evenkeel/test/dns/api-token': 'abc' });
    await expect(seen()).rejects.toThrow('is not read in a process that runs no pass');
    expect(asked).toEqual([]);
  });

  it('R-5.15 all functions of a stage have the same version of a controller when the settings decide it', async () => {
    const versions = await Promise.all(
      ['dns', 'plain'].map(async (identity) =>
        (await functionOf(identity, {})).registry.controllers.map(({ version }) => version),
      ),
    );
    expect(versions[0]).toEqual(versions[1]);
    expect(versions[0]?.filter((version) => version.startsWith('1-'))).toHaveLength(1);
  });

  it.each([
    ['controllers: ./controllers.js\n', /groups\.dns\.server: it is missing\. Allowed: a URL\./],
    [STAGE.replace('server', 'serverr'), /test\.yml:5:7: groups\.dns\.serverr: there is no such setting\./],
    [
      `${STAGE}      secretFiles: {api-token: ./token}\n`,
      /settings\.groups\.dns\.secretFiles\.api-token: a cloud deployment reads the secret from Secrets Manager\. Remove it\./,
    ],
  ])('R-6.4 a stage is refused with file and remedy when it is %j', async (text, fault) => {
    await expect(stageOf(text)).rejects.toThrow(fault);
  });
});
