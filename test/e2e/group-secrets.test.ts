import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConditions } from '../../lib/core/conditions.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const CANARY = 'canary-0b6e4f';
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A Zone needs the secret of its group; a Plain belongs to another group. */
const MODULE = `
import { defineController, defineGroup, defineKind, settled, terminal } from 'evenkeel';
import { z } from 'zod';
const spec = z.object({ shows: z.enum(['nothing', 'status', 'error', 'event']).default('nothing') });
const kindOf = (kind: string) => defineKind({ group: 'example.com', version: 'v1', kind, spec, status: z.object({ server: z.string() }) });
const dns = defineGroup({ name: 'dns', settings: z.object({ server: z.url() }), secrets: { 'api-token': 'the token' } });
export const zone = defineController({
  kind: kindOf('Zone'),
  group: dns,
  async reconcile({ spec: { shows } }, context) {
    const token = await context.secret('api-token');
    if (shows === 'error') throw new Error('401 for ' + token);
    if (shows === 'event') await context.recordEvent({ type: 'Normal', reason: 'Called', note: token, action: 'Call' });
    if (shows === 'status') return terminal('Refused', 'with ' + token);
    return { outcome: settled(), status: { server: context.settings.server } };
  },
});
export const plain = defineController({ kind: kindOf('Plain'), reconcile: async () => settled() });
`;

const typeOf = (plural: string, kind: string): ResourceType => ({
  group: 'example.com',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});
const Zones = typeOf('zones', 'Zone');
const Plains = typeOf('plains', 'Plain');
const Events: ResourceType = { ...typeOf('events', 'Event'), group: 'events.k8s.io' };

async function create({ api }: Contracts, type: ResourceType, name: string, shows = 'nothing'): Promise<void> {
  const metadata = { namespace: 'default', name };
  await api.create(
    type,
    { apiVersion: 'example.com/v1', kind: type.kind, metadata, spec: { shows } },
    { fieldManager: 'test' },
  );
}

/** Waits until Ready of an object has a text in its reason or message. */
async function becomes({ api }: Contracts, type: ResourceType, name: string, text: string): Promise<void> {
  await eventually(`${type.kind} ${name} with Ready ${text}`, async () => {
    const { status } = await api.get(type, { namespace: 'default', name });
    const ready = readConditions(status).find((condition) => condition.type === 'Ready');
    return `${ready?.reason} ${ready?.message}`.includes(text) ? true : undefined;
  });
}

describe('evenkeel start with a group that has a secret', () => {
  it('R-1.24 R-6.9 holds up only that group while the secret is missing, goes on when it is there, and shows it nowhere', async () => {
    await using folder = new EvenkeelFolder();
    symlinkSync(NODE_MODULES, join(folder.path, 'node_modules'));
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder.path, 'controllers.ts'), MODULE);
    const section = { server: 'https://dns.example.com', secretFiles: { 'api-token': './token' } };
    writeFileSync(
      join(folder.path, 'settings.yaml'),
      JSON.stringify({ controllers: ['./controllers.ts'], groups: { dns: section }, backoff: { cap: '1s' } }),
    );
    const started = await folder.start(['--empty', '--settings', 'settings.yaml']);
    await using cluster = await Contracts.connect(folder.kubeconfig);
    await create(cluster, Zones, 'shop');
    await create(cluster, Plains, 'shop');
    await becomes(cluster, Plains, 'shop', 'Reconciled');
    await becomes(cluster, Zones, 'shop', 'The pass failed (SecretMissing)');
    const explained = await folder.run(['explain', 'zone/default/shop']);
    expect(explained.out).toMatch(
      /outcome +retry SecretMissing\n +\S+\/token, which groups\.dns\.secretFiles\.api-token names, cannot be read \(ENOENT\)\. Put the secret there/,
    );

    writeFileSync(join(folder.path, 'token'), `${CANARY}\n`);
    await becomes(cluster, Zones, 'shop', 'Reconciled');
    for (const shows of ['status', 'error', 'event']) await create(cluster, Zones, shows, shows);
    for (const shows of ['status', 'error', 'event'])
      await becomes(cluster, Zones, shows, 'The pass failed (SecretShown)');

    const asked = [
      await folder.run(['explain', 'zone/default/error', '-o', 'json']),
      await folder.run(['list', '-o', 'json']),
      await folder.run(['settings', '--controllers', 'controllers.ts']),
    ];
    expect(asked.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(asked[2]?.out).toContain('| `groups.dns.server` | a URL |');
    const { api } = cluster;
    const objects = [await api.list(Zones), await api.list(Events)].map(({ items }) => items);
    const { out, err } = await started.stop();
    expect(err).toMatch(/^evenkeel: \S+\/token, which groups\.dns\.secretFiles\.api-token names, cannot be read/m);
    expect(JSON.stringify([asked, objects, out, err])).not.toContain(CANARY);
    const state = join(folder.path, '.evenkeel');
    for (const file of readdirSync(state, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      expect(readFileSync(join(state, file.name), 'latin1').includes(CANARY) ? file.name : '').toBe('');
    }
  });
});
