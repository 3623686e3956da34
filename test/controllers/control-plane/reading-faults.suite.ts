import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Gateways, GrpcRoutes, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Namespaces, type ResourceType } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import type { SentRequest, TransportFault } from '../../support/transport-faults.ts';
import { ClusterRun, type OpenCluster, type TestedCluster } from './cluster-run.ts';
import { conditionOf, find, gatewayObjects, type OwnedObject, passOf } from './control-plane-world.ts';

/** How a read can fail. */
const READING_FAULTS: Readonly<Record<string, TransportFault>> = {
  'times out': { hang: true },
  'is forbidden': { status: 403 },
  'is throttled': { status: 429, headers: { 'retry-after': '3' } },
  'fails in the server': { status: 500 },
  'is cut off': { cutAfter: 10 },
  'is a page': { status: 200, body: '<html>login</html>' },
  'is of another shape': { status: 200, body: '{}' },
  'is a Status': { status: 200, body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}' },
  'is of a kind that is not served': { status: 404, body: '404 page not found\n' },
};

const GRACE_MS = 600_000;
const PASS_MS = 2_000;

interface Deletion {
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** The objects that must not be deleted while a read fails. */
  readonly held: readonly OwnedObject[];
}

/** Prepares a deletion, up to the pass that begins it. */
const DELETIONS: Readonly<Record<string, (run: ClusterRun) => Promise<Deletion>>> = {
  'a Gateway': async (run) => {
    const { gateway } = await run.provision();
    await run.remove(Gateways, gateway);
    return { type: Gateways, object: gateway, held: [run.placeOf(Gateways, gateway)] };
  },
  'a ManagedDatabase by Delete': (run) => databaseDeletion(run, 'Delete'),
  'a ManagedDatabase by Retain': (run) => databaseDeletion(run, 'Retain'),
  'an orphaned namespace': async (run) => {
    const { gateway } = await run.provision({ gateway: { route: { enabled: false }, identity: null } });
    await run.patch(Gateways, gateway, { metadata: { finalizers: null } });
    await run.remove(Gateways, gateway);
    const name = { namespace: '', name: gatewayNamespace(gateway.metadata.uid) };
    const namespace = await run.control.user.get(Namespaces, name);
    await passOf(run.control, Namespaces, namespace);
    await run.control.world.clock.advance(GRACE_MS);
    return { type: Namespaces, object: namespace, held: [{ type: Namespaces, ...name }] };
  },
  'a disabled route': async (run) => {
    const { gateway, database } = await run.provision({ gateway: { identity: null } });
    await run.patch(Gateways, gateway, { spec: { route: { enabled: false } } });
    const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
    return { type: Gateways, object: gateway, held: objects.filter(({ type }) => type === GrpcRoutes) };
  },
  'what is left beside an earlier database': async (run) => {
    const { gateway, database } = await run.provision({
      gateway: { identity: null, route: { enabled: false } },
      database: { deletionPolicy: 'Retain' },
    });
    await run.patch(ManagedDatabases, database, { metadata: { finalizers: null } });
    await run.remove(ManagedDatabases, database);
    run.targets.length = 0;
    const again = await run.provisionDatabase();
    // The objects next to the new one are created while those next to the old one cannot be deleted.
    const refused = run.faults.inject({ match: ({ method }) => method === 'DELETE', fault: { status: 500 } });
    for (let pass = 0; pass < 6; pass += 1) {
      await passThrough(run, Gateways, gateway, () => 0);
      await playOperators(run.control.user);
      await run.control.world.clock.advance(PASS_MS);
    }
    refused.remove();
    expect(again.metadata.uid).not.toBe(database.metadata.uid);
    const held = gatewayObjects(gateway.metadata.uid, database.metadata.uid).slice(1, 4);
    return { type: Gateways, object: gateway, held };
  },
};

async function databaseDeletion(run: ClusterRun, deletionPolicy: string): Promise<Deletion> {
  const database = await run.provisionDatabase({ deletionPolicy });
  await run.remove(ManagedDatabases, database);
  return { type: ManagedDatabases, object: database, held: [run.placeOf(ManagedDatabases, database)] };
}

/** The reads that each deletion depends on, in order. Names that contain a UID are shortened. */
const OF_CREDENTIALS = [
  'namespaces/of-the-run/manageddatabases/main',
  'namespaces/hs',
  'namespaces/hs/secrets/gateway-database',
  'namespaces/hs-db',
  'namespaces/hs-db/secrets/gw',
  'namespaces/hs-db/databaseroles/gw',
  'namespaces/hs-db/databases/gw',
];
const READINGS: Readonly<Record<string, readonly string[]>> = {
  'a Gateway': [
    'namespaces/hs/grpcroutes/gateway',
    'namespaces/hs/services/gateway',
    'namespaces/hs/deployments/gateway',
    'namespaces/hs-db/databases/gw',
    'namespaces/hs-db/databaseroles/gw',
    'namespaces/hs-db/secrets/gw',
    'namespaces/hs',
  ],
  'a ManagedDatabase by Delete': [
    'namespaces/of-the-run/gateways',
    'namespaces/hs-db/clusters/database',
    'namespaces/hs-db',
  ],
  'a ManagedDatabase by Retain': [
    'namespaces/of-the-run/gateways',
    'namespaces/hs-db/clusters/database',
    'namespaces/hs-db',
  ],
  'an orphaned namespace': ['namespaces/of-the-run/gateways/edge', 'gateways'],
  'a disabled route': [
    ...OF_CREDENTIALS,
    'namespaces/hs/deployments/gateway',
    'namespaces/hs/serviceaccounts/gateway',
    'namespaces/hs/configmaps/gateway',
    'namespaces/hs/networkpolicies/gateway',
    'namespaces/hs/services/gateway',
    'namespaces/hs/grpcroutes/gateway',
  ],
  'what is left beside an earlier database': [
    ...OF_CREDENTIALS,
    'namespaces/hs-db-2/databases/gw',
    'namespaces/hs-db-2/databaseroles/gw',
    'namespaces/hs-db-2/secrets/gw',
  ],
};

/** Deletions when a read that they depend on fails, on any API server. */
export function describeReadingFaults(name: string, open: OpenCluster): void {
  describe(`readings that fail on ${name}`, { timeout: 1_200_000 }, () => {
    let cluster: TestedCluster | undefined;

    afterEach(async () => {
      await cluster?.close();
    });

    it.each(Object.keys(DELETIONS))(
      'R-1.17 R-3.3 R-3.4 R-3.5 the deletion of %s deletes nothing, reports it, and continues later when a read that it depends on fails',
      async (what) => {
        cluster = await open();
        const run = new ClusterRun(cluster);
        const deletion = await DELETIONS[what]!(run);
        const seen = await failEveryReading(run, deletion);
        expect(seen).toEqual(READINGS[what]);
      },
    );
  });
}

/** Makes each read of a deletion fail in each way, the first time that the deletion makes it. */
async function failEveryReading(run: ClusterRun, { type, object, held }: Deletion): Promise<string[]> {
  const { control, faults } = run;
  const names = new ReadingNames(control.namespace);
  const seen: string[] = [];
  /** Objects that were deleted correctly before the failing read. */
  const gone: string[] = [];
  const own = `${type.plural}/${object.metadata.name}`;
  const isLeft = async () => (await Promise.all(held.map((each) => run.isGone(each)))).includes(false);
  // Only the test's time limit ends this loop, because the server's own controllers may take a while.
  while (await isLeft()) {
    let reading: string | undefined;
    for (const [how, fault] of Object.entries(READING_FAULTS)) {
      const deletions: string[] = [];
      let hit: string | undefined;
      const isHit = (key: string) => {
        const wanted = reading ?? hit;
        return wanted === undefined ? !seen.includes(key) : key === wanted;
      };
      const injected = faults.inject({
        match: (request) => {
          if (request.userAgent !== 'evenkeel') return false;
          if (request.method === 'DELETE') (hit === undefined ? gone : deletions).push(request.path);
          const key = names.of(request);
          // The read of the target shows whether there is any work, and Events only report it. Neither counts here.
          const isOther = request.path.endsWith(own) || key.includes('/events/');
          if (request.method !== 'GET' || isOther || !isHit(key)) return false;
          hit = key;
          return true;
        },
        fault,
      });
      const report = await passThrough(run, type, object, () => ('hang' in fault ? injected.hits : 0));
      injected.remove();
      await control.world.clock.advance(PASS_MS);
      // The step before this read may have been the last of the deletion.
      if ((hit === undefined && reading === undefined) || !(await isLeft())) break;
      reading ??= hit;
      expect(hit, how).toBe(reading);
      expect(deletions, `${reading} ${how}`).toEqual([]);
      expect(report, `${reading} ${how}`).toMatchObject({ outcome: 'retry' });
      const stillHeld = held.filter((place) => !gone.some((path) => path.endsWith(pathEnd(place))));
      await expectHeld(run, stillHeld, `${reading} ${how}`);
    }
    if (reading !== undefined) seen.push(reading);
    else await delay(200);
  }
  return seen;
}

function pathEnd({ type, namespace, name }: OwnedObject): string {
  return `${namespace === '' ? '' : `/namespaces/${namespace}`}/${type.plural}/${name}`;
}

async function expectHeld({ control }: ClusterRun, held: readonly OwnedObject[], what: string): Promise<void> {
  for (const place of held) {
    const now = await find(control, place);
    expect(now, `${place.type.kind}: ${what}`).toBeDefined();
    if (place.type !== Gateways && place.type !== ManagedDatabases) {
      expect(now?.metadata.deletionTimestamp, `${place.type.kind}: ${what}`).toBeUndefined();
      continue;
    }
    expect(now?.metadata.finalizers?.length, what).toBe(1);
    expect(conditionOf(now!, 'CleanupPending'), what).toMatchObject({
      status: 'True',
      reason: expect.stringMatching(/^(CleanupFailed|AccessDenied|GatewayListFailed)$/),
    });
  }
}

/**
 * Runs one pass. Waits for each request that hangs, then advances the clock until it times out.
 * @param hanging how many requests have hung so far.
 */
async function passThrough(run: ClusterRun, type: ResourceType, object: KubeObject, hanging: () => number) {
  let ended = false;
  const passing = passOf(run.control, type, object).finally(() => {
    ended = true;
  });
  let dealtWith = 0;
  while (!ended) {
    if (hanging() === dealtWith) await delay(1);
    else {
      dealtWith = hanging();
      await run.control.world.clock.advance(10_000);
    }
  }
  return await passing;
}

/** Gives requests the same path in all runs. */
class ReadingNames {
  readonly #namespace: string;
  readonly #names = new Map<string, string>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  of({ path }: SentRequest): string {
    return path
      .replace(`/namespaces/${this.#namespace}/`, '/namespaces/of-the-run/')
      .replace(/(hs-db|hs|gw)-[0-9a-f]{16}/g, (name, kind: string) => this.#nameOf(name, kind))
      .replace(/^\/(api|apis\/[^/]+)\/[^/]+\//, '');
  }

  /** Names the first object of a kind by its kind, and each later one also by a number. */
  #nameOf(name: string, kind: string): string {
    const others = [...this.#names.keys()].filter((other) => other.slice(0, -17) === kind && other !== name);
    const known = this.#names.get(name) ?? (others.length === 0 ? kind : `${kind}-${others.length + 1}`);
    this.#names.set(name, known);
    return known;
  }
}
