import { KubernetesClusterApi } from '../../adapters/kubernetes/kubernetes-cluster-api.ts';
import type { QueueMessage } from '../../core/event.ts';
import { Registry } from '../../engine/registry.ts';
import { createEngine, type Engine, reachedBy } from '../../engine/runtime/engine.ts';
import { createRelay } from '../../engine/runtime/relay.ts';
import { createResync } from '../../engine/runtime/resync.ts';
import { createTimers } from '../../engine/runtime/timers.ts';
import { createWorker } from '../../engine/runtime/worker.ts';
import type { FifoQueue } from '../../ports/queue.ts';
import { TEST_CLUSTER } from '../world.ts';
import type { MessageScope, SimulatedProcess } from './process.ts';
import { reachCluster } from './simulated-cluster-api.ts';
import { receivePatiently, unreliably } from './simulated-queues.ts';
import type { ProcessBody, Simulation } from './simulation.ts';

const RESYNC_EVERY_MS = 120_000;

/** The processes of an installation, assembled as in the functions of a deployment or the parts of `npm start`. */
export interface Roles {
  /** Runs passes and polls, and handles delayed wakes. */
  readonly worker: ProcessBody;
  readonly relay: ProcessBody;
  readonly sweep: ProcessBody;
  readonly resync: ProcessBody;
}

export function rolesOf(simulation: Simulation): Roles {
  return {
    worker: (process, signal) => runWorker(simulation, process, signal),
    relay: (process, signal) => {
      const { engine } = engineOf(simulation, process);
      const { scope } = simulation.passOptions;
      const options = { cluster: TEST_CLUSTER, scope, relay: simulation.relayOptions };
      return createRelay(engine, engine.registry, options).run(signal);
    },
    sweep: (process, signal) => {
      const { engine } = engineOf(simulation, process);
      const { timings } = simulation.passOptions;
      return createTimers(engine, engine.registry, { timings }).runSweep(signal);
    },
    resync: (process, signal) => createResync(engineOf(simulation, process).engine, RESYNC_EVERY_MS).run(signal),
  };
}

interface ProcessEngine {
  readonly engine: Engine;
  /** An engine whose ports belong to one message, so that its calls can be assigned to the message. */
  onBehalfOf(scope: MessageScope): Engine;
}

/** The engine of one process. */
function engineOf(simulation: Simulation, process: SimulatedProcess): ProcessEngine {
  const { server, scheduler, host, logger, metrics } = simulation;
  const { clock, entropy } = process;
  const shared = new KubernetesClusterApi({ transport: server, clock, userAgent: 'evenkeel' });
  const wakes = receivePatiently(simulation.wakes, process, scheduler, host);
  const portsFor = (scope?: MessageScope) => ({
    api: reachCluster(scheduler, process, shared, (call) => simulation.watchFaults(call), scope),
    store: process.reach(simulation.store, 'store', scope),
    wakes: process.reach(wakes, 'wakes', scope),
  });
  const engine = createEngine(
    { ...portsFor(), queues: queuesOf(simulation, process), clock, entropy, logger, metrics },
    new Registry(simulation.controllersOf(process)),
    {
      ...simulation.engineOptions,
      cluster: TEST_CLUSTER,
      installation: 'simulation',
      owner: process.name,
    },
  );
  return { engine, onBehalfOf: (scope) => reachedBy(engine, portsFor(scope)) };
}

/** The queues, wrapped for one process. */
function queuesOf(simulation: Simulation, process: SimulatedProcess): Engine['queues'] {
  const { scheduler, host } = simulation;
  const faults = {
    refuses: () => simulation.queueFaults.refuses(),
    duplicates: () => simulation.queueFaults.duplicates(),
    reroutes: () => simulation.queueFaults.reroutes(),
  };
  const reached = (queue: FifoQueue, lanes: readonly FifoQueue[], name: string) => {
    const unreliable = unreliably(queue, lanes, faults, scheduler, host);
    return process.reach(receivePatiently(unreliable, process, scheduler, host), name);
  };
  return Object.fromEntries(
    Object.entries(simulation.queues).map(([group, { events, resync }]) => [
      group,
      {
        events: reached(events, [events, resync], `${group}-events`),
        resync: reached(resync, [events, resync], `${group}-resync`),
      },
    ]),
  );
}

async function runWorker(simulation: Simulation, process: SimulatedProcess, signal: AbortSignal): Promise<void> {
  const { engine, onBehalfOf } = engineOf(simulation, process);
  const { timings } = simulation.passOptions;
  const worker = createWorker(engine, engine.registry, {
    timings,
    knows: (cluster) => cluster === TEST_CLUSTER,
    concurrency: simulation.concurrency,
    onBatch: (messages) => simulation.observer.batchBegan(process, messages),
    within: async (event: QueueMessage, handle) => {
      const scope: MessageScope = { process, event };
      simulation.observer.handling(scope);
      try {
        await handle(onBehalfOf(scope));
      } catch (error) {
        simulation.observer.handled(scope, false);
        throw error;
      }
      simulation.observer.handled(scope, true);
    },
  });
  const timers = createTimers(engine, engine.registry, { timings, wakesAtOnce: simulation.concurrency.events });
  await Promise.all([worker.run(signal), timers.runWakes(signal)]);
}
