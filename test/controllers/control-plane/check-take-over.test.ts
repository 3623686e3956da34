import { describe, expect, it } from 'vitest';
import { readInventory } from '../../../cli/inspection/read-targets.ts';
import { checkTakeOver } from '../../../lib/controllers/control-plane/check-take-over.ts';
import { gatewayValues } from '../../../lib/controllers/control-plane/gateway/gateway-record.ts';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { databaseValues } from '../../../lib/controllers/control-plane/managed-database/database-record.ts';
import { takenOverByMarks } from '../../../lib/controllers/control-plane/take-over.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { takeLease } from '../../support/take-lease.ts';

const CLIENT = { server: 'https://id.example.org', realm: 'shop', clientId: 'hs-client' };
/** In the form of the first release: without seed and ids. */
const OLD = {
  namespaceUid: 'ns-uid',
  clients: [{ ...CLIENT, made: true }],
  databaseUids: ['db-uid'],
  stage: 'route',
  routed: true,
} as const;

async function record(world: World, type: ResourceType, name: string, values: Record<string, string>): Promise<void> {
  const target = { cluster: 'east', kind: kindId(type), namespace: 'shop', name, uid: `uid-${name}` };
  const acquired = await takeLease(world.store, {
    target,
    owner: 'o',
    attempt: 'a',
    nowMs: 0,
    leaseUntilMs: 30_000,
    latestUntilMs: 34_000,
  });
  await world.store.saveValues({ target, owner: 'o', epoch: acquired?.epoch ?? 0 }, values as never);
}

async function examine(world: World): Promise<string[]> {
  const findings = await checkTakeOver((type) => readInventory(world.store, 'east', type));
  return findings.map(({ level, text }) => `${level} ${text}`);
}

const gateway = (values: object) => gatewayValues({ ...OLD, ...values } as never) as Record<string, string>;
const database = (values: object) =>
  databaseValues({ namespaceUid: 'n', clusterUid: 'c', heldData: true, ...values }) as Record<string, string>;

describe('checkTakeOver', () => {
  it('R-3.9 checkTakeOver names each Gateway and ManagedDatabase with the objects that an earlier release created', async () => {
    const world = new World({ controllers: [] });
    await record(world, Gateways, 'old', gateway({}));
    await record(
      world,
      Gateways,
      'new',
      gateway({ seed: 's', unproven: [], clients: [{ ...CLIENT, made: true, id: 'i' }] }),
    );
    await record(world, ManagedDatabases, 'begun', database({ namespaceUid: '', clusterUid: '' }));
    await record(world, ManagedDatabases, 'known', database({}));
    const lines = await examine(world);
    expect(lines).toEqual([
      expect.stringMatching(
        /^note Gateway shop\/old adopts objects of an earlier release by their labels and annotations alone: namespace hs-[0-9a-f]{16}, what lies in hs-[0-9a-f]{16}, gw-[0-9a-f]{16} in hs-db-[0-9a-f]{16}, client hs-client of realm shop$/,
      ),
      expect.stringMatching(
        /^note ManagedDatabase shop\/begun adopts .*: namespace hs-db-[0-9a-f]{16}, Cluster in hs-db-[0-9a-f]{16}$/,
      ),
    ]);
  });

  it('R-3.9 checkTakeOver counts the objects that it does not name', async () => {
    const world = new World({ controllers: [] });
    for (let index = 0; index < 53; index += 1) await record(world, Gateways, `old-${index}`, gateway({}));
    const lines = await examine(world);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('note 3 more Gateways or ManagedDatabases adopt objects in that way');
  });
});

describe('takenOverByMarks', () => {
  const target = { cluster: 'east', kind: kindId(Gateways), namespace: 'shop', name: 'a', uid: 'u' };
  it.each<[string, object, number]>([
    ['nothing was begun', { namespaceUid: undefined, clients: [], databaseUids: [] }, 0],
    ['a take-over is under way', { seed: 's', unproven: ['content'], clients: [] }, 1],
    ['the client alone has no id yet', { seed: 's', unproven: [] }, 1],
    [
      'a client that was never made is waited for',
      { seed: 's', unproven: [], clients: [{ ...CLIENT, made: false }] },
      0,
    ],
  ])('R-3.9 takenOverByMarks names the parts without another proof when %s', (_what, values, count) => {
    expect(takenOverByMarks({ target, values: gateway(values) as never })).toHaveLength(count);
  });

  it.each<[string, object]>([
    ['no pass wrote one', {}],
    ['it cannot be read', { record: '{' }],
    ['it is of another kind', { record: 'x' }],
  ])('R-3.9 takenOverByMarks names nothing when %s', (what, values) => {
    const kind = what.includes('kind') ? 'widgets.test.evenkeel.dev' : target.kind;
    expect(takenOverByMarks({ target: { ...target, kind }, values: values as never })).toEqual([]);
  });
});
