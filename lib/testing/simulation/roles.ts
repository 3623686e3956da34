import { KubernetesClusterApi } from '../../adapters/kubernetes/kubernetes-cluster-api.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import { BatchRunner } from '../../engine/batch/batch-runner.ts';
import { ClusterGate } from '../../engine/breaker/cluster-gate.ts';
import { EventSender } from '../../engine/event-sender.ts';
import { FanoutRunner } from '../../engine/fanout/fanout-runner.ts';
import { EventRecorder } from '../../engine/kube-events/event-recorder.ts';
import { PassRunner } from '../../engine/pass/pass-runner.ts';
import { PollRunner } from '../../engine/poll/poll-runner.ts';
import { Registry } from '../../engine/registry.ts';
import { Relay } from '../../engine/relay/relay.ts';
import { type ResyncReport, resyncCluster } from '../../engine/resync/resync-cluster.ts';
import { DEFAULT_SWEEP_OPTIONS, Sweep } from '../../engine/sweep/sweep.ts';
import { WakeHandler } from '../../engine/wake/wake-handler.ts';
import { QueueWorker } from '../../engine/worker/queue-worker.ts';
import type { FifoQueue, ReceivedMessage } from '../../ports/queue.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { TEST_CLUSTER } from '../world.ts';
import type { MessageScope, SimulatedProcess } from './process.ts';
import { reachCluster } from './simulated-cluster-api.ts';
import { receivePatiently, unreliably } from './simulated-queues.ts';
import type { ProcessBody, Simulation } from './simulation.ts';

/** Messages that one worker has in work at once, for each queue. */
const CONCURRENCY = 4;
const RESYNC_EVERY_MS = 120_000;

/** The processes of an installation, as the functions of a deployment or the parts of `npm start` put them together. */
export interface Roles {
  /** Reconciles, polls, and handles delayed wakes. */
  readonly worker: ProcessBody;
  readonly relay: ProcessBody;
  readonly sweep: ProcessBody;
  readonly resync: ProcessBody;
}

export function rolesOf(simulation: Simulation): Roles {
  return {
    worker: (process, signal) => runWorker(simulation, process, signal),
    relay: (process, signal) => runRelay(simulation, process, signal),
    sweep: (process, signal) => runSweep(simulation, process, signal),
    resync: (process, signal) => runResync(simulation, process, signal),
  };
}

/** The parts of one process. */
function partsOf(simulation: Simulation, process: SimulatedProcess) {
  const { server, scheduler, host, logger, metrics } = simulation;
  const { clock, entropy } = process;
  const shared = new KubernetesClusterApi({ transport: server, clock, userAgent: 'evenkeel' });
  const apiFor = (scope?: MessageScope) =>
    reachCluster(scheduler, process, shared, (call) => simulation.watchFaults(call), scope);
  const storeFor = (scope?: MessageScope): StateStore => process.reach(simulation.store, 'store', scope);
  const faults = {
    refuses: () => simulation.queueFaults.refuses(),
    duplicates: () => simulation.queueFaults.duplicates(),
    reroutes: () => simulation.queueFaults.reroutes(),
  };
  const queueOf = (queue: FifoQueue, lanes: readonly FifoQueue[], name: string) => {
    const shared = unreliably(queue, lanes, faults, scheduler, host);
    return process.reach(receivePatiently(shared, process, scheduler, host), name);
  };
  const queues = Object.fromEntries(
    Object.entries(simulation.queues).map(([group, { events, resync }]) => [
      group,
      {
        events: queueOf(events, [events, resync], `${group}-events`),
        resync: queueOf(resync, [events, resync], `${group}-resync`),
      },
    ]),
  );
  const registry = new Registry(simulation.controllersOf(process));
  const sender = new EventSender(registry, queues, entropy);
  const wakes = receivePatiently(simulation.wakes, process, scheduler, host);
  const wakesFor = (scope?: MessageScope) => process.reach(wakes, 'wakes', scope);
  return { apiFor, storeFor, wakesFor, queues, registry, sender, clock, entropy, logger, metrics };
}

async function runWorker(simulation: Simulation, process: SimulatedProcess, signal: AbortSignal): Promise<void> {
  const parts = partsOf(simulation, process);
  const { clock, registry, sender, logger, metrics } = parts;
  const { timings } = simulation.passOptions;
  const store = parts.storeFor();
  const wakes = parts.wakesFor();
  const gate = new ClusterGate(store, clock, parts.entropy, metrics);
  const handle = (event: SkinnyEvent) => handleEvent(simulation, process, parts, gate, event);
  const options = { concurrency: CONCURRENCY, timings, waitSeconds: 20 };
  const lanes = Object.entries(parts.queues).flatMap(([group, queues]) =>
    Object.values(queues).map((queue) => {
      const refusal = (event: SkinnyEvent) => registry.refusal(group, event, (cluster) => cluster === TEST_CLUSTER);
      const batch = new BatchRunner({
        group,
        handle,
        refusal,
        queue,
        failures: store,
        timings,
        clock,
        logger,
        metrics,
      });
      const work = (messages: readonly ReceivedMessage[]) => {
        simulation.observer.batchBegan(process, messages);
        return batch.run(messages);
      };
      return new QueueWorker(queue, work, clock, logger, options);
    }),
  );
  const wakeHandler = new WakeHandler({ store, sender, registry, wakes, timings, clock, logger, metrics });
  const handleWakes = async (messages: readonly ReceivedMessage[]) => {
    const results = await Promise.allSettled(messages.map((message) => wakeHandler.handle(message)));
    const done = messages.filter((_, index) => results[index]?.status === 'fulfilled');
    if (done.length > 0) await wakes.delete(done.map(({ receiptHandle }) => receiptHandle));
  };
  const wakeWorker = new QueueWorker(wakes, handleWakes, clock, logger, options);
  await Promise.all([...lanes, wakeWorker].map((worker) => worker.run(signal)));
}

/** Each message has ports of its own, so that what is done on its behalf is told apart. */
async function handleEvent(
  simulation: Simulation,
  process: SimulatedProcess,
  parts: ReturnType<typeof partsOf>,
  gate: ClusterGate,
  event: SkinnyEvent,
): Promise<void> {
  const { registry, sender, clock, entropy, logger, metrics } = parts;
  const scope: MessageScope = { process, event };
  const api = parts.apiFor(scope);
  const store = parts.storeFor(scope);
  const wakes = parts.wakesFor(scope);
  const clusters = { api: (cluster: string) => (cluster === TEST_CLUSTER ? api : undefined) };
  const { directReaders, fanoutOptions: options, roundLimitMs: passLimitMs } = simulation;
  const shared = { registry, clusters, store, wakes, gate, clock, entropy, logger, metrics };
  simulation.observer.handling(scope);
  try {
    if (event.cause === 'poll') await new PollRunner({ ...shared, sender, directReaders }).handle(event);
    else if (event.cause === 'fanout')
      await new FanoutRunner({ ...shared, sender, passLimitMs, options }).handle(event);
    else {
      const events = new EventRecorder(clock, 'simulation');
      await new PassRunner({ ...shared, events, owner: process.name }, simulation.passOptions).handle(event);
    }
  } catch (error) {
    simulation.observer.handled(scope, false);
    throw error;
  }
  simulation.observer.handled(scope, true);
}

async function runRelay(simulation: Simulation, process: SimulatedProcess, signal: AbortSignal): Promise<void> {
  const { apiFor, storeFor, sender, registry, clock, entropy, logger, metrics } = partsOf(simulation, process);
  const relay = new Relay({
    cluster: TEST_CLUSTER,
    api: apiFor(),
    store: storeFor(),
    sender,
    registry,
    scope: simulation.passOptions.scope,
    clock,
    entropy,
    logger,
    metrics,
    options: simulation.relayOptions,
  });
  await relay.run(signal);
}

async function runSweep(simulation: Simulation, process: SimulatedProcess, signal: AbortSignal): Promise<void> {
  const { storeFor, wakesFor, sender, registry, clock, logger, metrics } = partsOf(simulation, process);
  const { timings } = simulation.passOptions;
  const sweep = new Sweep({ store: storeFor(), sender, registry, wakes: wakesFor(), timings, clock, logger, metrics });
  for (;;) {
    await clock.sleep(DEFAULT_SWEEP_OPTIONS.intervalMs, signal);
    // As a scheduled function that failed: the next run tries again.
    await sweep.run(signal).catch(() => undefined);
  }
}

async function runResync(simulation: Simulation, process: SimulatedProcess, signal: AbortSignal): Promise<void> {
  const { apiFor, storeFor, sender, registry, clock, logger, metrics } = partsOf(simulation, process);
  const { scope } = simulation.passOptions;
  const deps = {
    cluster: TEST_CLUSTER,
    api: apiFor(),
    store: storeFor(),
    sender,
    registry,
    scope,
    clock,
    logger,
    metrics,
    options: { directReaders: simulation.directReaders },
  };
  let previous: ResyncReport['findings'] | undefined;
  for (;;) {
    await clock.sleep(RESYNC_EVERY_MS, signal);
    const tick = Math.floor(clock.now() / RESYNC_EVERY_MS);
    try {
      const report = await resyncCluster({ ...deps, tick, signal, ...(previous === undefined ? {} : { previous }) });
      previous = report.findings;
    } catch {
      // As a scheduled function that failed: the next run finds what this one did not send.
    }
  }
}
