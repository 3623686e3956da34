import { secretContractController } from '../lib/controllers/secret-contract/secret-contract-controller.ts';
import { RelaySilence } from '../lib/deployment/handlers/relay-silence.ts';
import { TABLE_SHARDS } from '../lib/deployment/installation/resource-names.ts';
import { defaultSettings } from '../lib/deployment/settings/load-settings.ts';
import { TEST_CLUSTER, World } from '../lib/testing/world.ts';
import type { IdleCounts } from './cost-model.ts';
import { contractDefinitions } from './request-counts.ts';

const MINUTE_MS = 60_000;
const WARM_MINUTES = 15;
const COUNTED_MINUTES = 60;
const WRITES = new Set(['UpdateItem', 'PutItem', 'DeleteItem']);

/**
 * The requests of the relay, the sweep and resync to the table while nothing changes, counted on the real engine with a
 * manual clock.
 */
export async function countIdleRequests(): Promise<IdleCounts> {
  let operations: string[] = [];
  const world = new World({
    controllers: [secretContractController({ allowMutation: false, digestKey: 'bench-bench-bench-bench' })],
    onRequest: (service, operation) => {
      if (service === 'dynamodb') operations.push(operation);
    },
  });
  await world.install(contractDefinitions());
  const stop = new AbortController();
  const relay = world.relay().run(stop.signal);
  for (let minute = 0; minute < WARM_MINUTES; minute += 1) await world.clock.advance(MINUTE_MS);
  const taken = (): string[] => {
    const seen = operations;
    operations = [];
    return seen;
  };
  taken();
  for (let minute = 0; minute < COUNTED_MINUTES; minute += 1) await world.clock.advance(MINUTE_MS);
  const relayWrites = taken().filter((operation) => WRITES.has(operation)).length;
  await world.sweep.run();
  const sweepQueries = taken().filter((operation) => operation === 'Query').length;
  const settings = defaultSettings();
  await new RelaySilence().measure({ ...world, settings }, [{ name: TEST_CLUSTER }]);
  const silenceReads = taken().length;
  stop.abort();
  await relay;
  return {
    sweepQueries: (sweepQueries / world.store.shards) * TABLE_SHARDS,
    silenceReads,
    relayWritesPerMinute: relayWrites / COUNTED_MINUTES,
    inventoryQueries: TABLE_SHARDS * primaryKinds(world),
  };
}

function primaryKinds({ registry }: World): number {
  return registry.watchedKinds().filter(({ primary }) => primary).length;
}
