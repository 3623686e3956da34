import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planLines } from '../../cli/plan/plan-text.ts';
import { exitCodeOf } from '../../cli/plan.ts';
import type { Controller } from '../../lib/core/controller.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { settled } from '../../lib/core/outcome.ts';
import { apiVersion, ConfigMaps, Deployments, Secrets } from '../../lib/core/resource-type.ts';
import type { PlanReport } from '../../lib/plan/report/plan-report.ts';
import { World } from '../../lib/testing/world.ts';
import { SHOPS_DEFINITION, Shops } from '../e2e/support/shops.ts';
import { planWorld } from './planned-widgets.ts';

const DOC = new URL('../../docs/plan.md', import.meta.url);

/** A shop has a Deployment. The shop `books` also has a ConfigMap and a Secret. */
function shopRelease(version: string, image: (shop: KubeObject) => string, isOld: boolean): Controller {
  return {
    name: 'shop',
    group: 'shop',
    type: Shops,
    owns: [Deployments, ConfigMaps, Secrets],
    reads: [],
    version,
    reconcile: async (shop, context) => {
      const { name, namespace = '', uid } = shop.metadata;
      const owner = { apiVersion: 'example.com/v1', kind: 'Shop', name, uid, controller: true };
      const metadata = { namespace, name, ownerReferences: [owner] };
      const labels = { app: name };
      const containers = [{ name: 'app', image: image(shop) }];
      const template = { metadata: { labels }, spec: { containers } };
      const deployment = { spec: { replicas: 3, selector: { matchLabels: labels }, template } };
      const books = name === 'books';
      const parts = [
        { type: Deployments, content: deployment },
        { type: ConfigMaps, content: books && isOld ? { data: { old: 'yes' } } : undefined },
        { type: Secrets, content: books && !isOld ? { data: { key: 'czNjcmV0LXZhbHVl' } } : undefined },
      ];
      for (const { type, content } of parts) {
        const found = await context.get(type, { namespace, name });
        const desired = { apiVersion: apiVersion(type), kind: type.kind, metadata, ...content };
        if (content === undefined) {
          if (found !== undefined) await context.delete(type, found);
        } else if (found === undefined) await context.create(type, desired);
        else await context.apply(type, found, desired);
      }
      return { outcome: settled(), status: { image: image(shop) } };
    },
  };
}

async function planOfShops(): Promise<PlanReport> {
  const first = shopRelease('1', () => 'shop:1', true);
  const world = new World({ controllers: [first] });
  await world.install([parse(SHOPS_DEFINITION)]);
  for (const name of ['books', 'games', 'music']) {
    const shop = await world.create(Shops, { metadata: { namespace: 'default', name }, spec: { image: 'shop' } });
    await world.worker().handle(world.event(Shops, shop));
  }
  await world.drain();
  const next = shopRelease('2', ({ metadata: { name } }) => (name === 'music' ? 'shop:1' : 'shop:2'), false);
  return (await planWorld(world, next)).report;
}

function report(parts: Partial<PlanReport>): PlanReport {
  return {
    unchanged: 1,
    changed: 0,
    errors: [],
    restartedPods: 0,
    deletedObjects: 0,
    touchedSecrets: 0,
    objects: [],
    definitions: [],
    uncomparedDefinitions: [],
    writes: [],
    externalCalls: [],
    refusedConnections: [],
    outcomes: [],
    ...parts,
  };
}

const BY = { kind: 'shops.example.com', namespace: 'default', name: 'books' };

describe('the text of a plan', () => {
  it('R-6.11 docs/plan.md shows the text that a plan of two changed shops has', async () => {
    const lines = planLines(await planOfShops());
    const [, example = ''] = /```text\n([\s\S]*?)```/.exec(readFileSync(DOC, 'utf8')) ?? [];
    expect(lines).toEqual(example.trimEnd().split('\n'));
  });

  it.each<[string, Partial<PlanReport>, number]>([
    ['nothing changes', {}, 0],
    ['an object changes', { changed: 1 }, 3],
    ['an external call would be made', { externalCalls: [{ by: BY, call: 'shop pay' }] }, 3],
    ['an object failed', { changed: 1, errors: [{ ...BY, error: 'forbidden' }] }, 1],
    ['a connection was refused', { refusedConnections: [{ by: BY, to: 'a:1', stack: [] }] }, 1],
  ])('R-6.11 plan exits with its code when %s', (_, parts, code) => {
    expect(exitCodeOf(report(parts))).toBe(code);
  });

  it('R-6.4 text names each thing that is no change when a plan has all of them', () => {
    const lines = planLines(
      report({
        errors: [{ ...BY, error: 'ApiForbidden: no' }],
        externalCalls: [{ by: BY, call: 'shop pay' }],
        outcomes: [{ ...BY, outcome: 'terminal', reason: 'NoText' }],
        refusedConnections: [{ by: undefined, to: 'a:1', stack: ['at x.ts:1:1'] }],
        definitions: [
          {
            name: BY.kind,
            objects: [
              {
                namespace: 'default',
                name: 'a',
                invalid: [{ path: 'spec.a', reason: 'FieldValueRequired' }],
                lost: ['spec.b'],
                gained: ['spec.c'],
              },
            ],
          },
        ],
      }),
    );
    expect(lines).toEqual([
      'restarts 0 Pods, deletes 0 objects, touches 0 Secrets',
      'schema  shops.example.com/default/a becomes invalid: spec.a (FieldValueRequired); loses spec.b; gains spec.c',
      'call    shop pay  by shops.example.com/default/books: not called; what follows it is not planned',
      'stopped shops.example.com/default/books: terminal NoText',
      'refused connection to a:1  by a module while it was loaded',
      '          at x.ts:1:1',
      'error   shops.example.com/default/books: ApiForbidden: no',
      '0 objects would change; 1 reconciled object would change nothing; 1 error',
    ]);
  });
});
