import { deployedFunctions } from '../../../infra/deployed-functions.ts';
import { scheduleMs } from '../../../infra/functions.ts';
import type { Stage } from '../../../infra/stage.ts';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { checkAt, type Outcome, settled } from '../../../lib/core/outcome.ts';
import { Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { ClusterDirectory } from '../../../lib/deployment/cloud/cluster-directory.ts';
import { clusterNameOf } from '../../../lib/deployment/cloud/cluster-parameter.ts';
import { type Comparisons, compareClusters } from '../../../lib/deployment/handlers/compare-clusters.ts';
import { RelaySilence } from '../../../lib/deployment/handlers/relay-silence.ts';
import { createInstallation, type Installation } from '../../../lib/deployment/installation/installation.ts';
import { deadLetterName, queueName, wakeQueueName } from '../../../lib/deployment/installation/resource-names.ts';
import type { Lane } from '../../../lib/engine/event-sender.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { Widgets as FixtureWidgets, RelayFixture } from '../../engine/relay/relay-fixture.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';
import { WatchedStage } from './watched-stage.ts';

/** A stage in which the test can break and repair one thing. */
export interface Scene {
  readonly watched: WatchedStage;
  healthy(): Promise<void>;
  broken(): Promise<void>;
  end?(): Promise<void>;
}

export type Fault = (stage: Stage) => Promise<Scene>;

/** A relay on a cluster, and the sweep that measures it. */
async function relayScene(stage: Stage) {
  const fixture = new RelayFixture();
  const watched = new WatchedStage(stage, fixture.clock);
  watched.follow(fixture.metrics);
  const silence = new RelaySilence();
  const { settings } = stage;
  const { memory: store, registry, clock, metrics } = fixture;
  const minute = async () => {
    fixture.cluster.bookmark();
    if (watched.isDue(settings.intervals.sweepMs)) {
      await silence.measure({ store, registry, settings, clock, metrics }, [{ name: 'c1' }]);
    }
    await watched.schedules();
  };
  return { fixture, watched, minute };
}

export async function relayStops(stage: Stage): Promise<Scene> {
  const { fixture, watched, minute } = await relayScene(stage);
  let relay: { stop(): Promise<void> } | undefined;
  return {
    watched,
    healthy: async () => {
      relay ??= await fixture.start(`relay-${watched.minute}`);
      await minute();
    },
    broken: async () => {
      await relay?.stop();
      relay = undefined;
      await minute();
    },
    end: () => fixture.stopAll(),
  };
}

/** Nothing changes in the cluster, so no pass finds that the cluster does not respond. */
export async function settledClusterIsUnreachable(stage: Stage): Promise<Scene> {
  const { fixture, watched, minute } = await relayScene(stage);
  await fixture.start();
  return {
    watched,
    healthy: async () => {
      fixture.cluster.onRequest = () => {};
      await minute();
    },
    broken: async () => {
      fixture.cluster.onRequest = () => {
        throw new ApiError('Unreachable', 'no answer');
      };
      fixture.cluster.cut(new ApiError('Unreachable', 'reset'));
      await minute();
    },
    end: () => fixture.stopAll(),
  };
}

/** Cuts connections, like a load balancer that closes old ones. */
export async function connectionsAreCut(stage: Stage): Promise<Scene> {
  const { fixture, watched, minute } = await relayScene(stage);
  await fixture.start();
  return {
    watched,
    healthy: minute,
    broken: async () => {
      fixture.cluster.cut(new ApiError('Unreachable', 'reset'));
      await minute();
    },
    end: () => fixture.stopAll(),
  };
}

export async function clusterIsRestored(stage: Stage): Promise<Scene> {
  const { fixture, watched, minute } = await relayScene(stage);
  await fixture.start();
  const snapshot = fixture.cluster.snapshot();
  let restored = false;
  return {
    watched,
    healthy: async () => {
      restored = false;
      await minute();
    },
    broken: async () => {
      if (!restored) {
        for (let edits = 0; edits < 5; edits += 1) fixture.cluster.put(FixtureWidgets, { namespace: 'ns', name: 'a' });
        await fixture.clock.advance(0);
        fixture.cluster.restore(snapshot);
      }
      restored = true;
      await minute();
    },
    end: () => fixture.stopAll(),
  };
}

/** A cluster with every part that works on it, except the relay. */
async function worldScene(stage: Stage, outcomeAt: (nowMs: number) => Outcome = settled) {
  const reconcile = async () => ({ outcome: outcomeAt(world.clock.now()) });
  const world: World = new World({ controllers: [widgetController({ reconcile })] });
  const watched = new WatchedStage(stage, world.clock);
  watched.follow(world.metrics);
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  return { world, watched };
}

/** @param failure the error of every request to the cluster, while it is set. */
function installationOf(
  world: World,
  stage: Stage,
  failure: () => Error | undefined,
  name = TEST_CLUSTER,
): Installation {
  const { clock, store, wakes, entropy, logger, metrics, registry } = world;
  const api = new Proxy(world.api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const error = failure();
        if (error !== undefined) throw error;
        return await value.apply(target, args);
      };
    },
  });
  const queues = { widgets: { events: world.queue('widgets'), resync: world.queue('widgets', 'resync') } };
  return createInstallation(
    { store, queues, wakes, api, clock, entropy, logger, metrics },
    { settings: { ...stage.settings, cluster: name }, registry, owner: 'o', deployment: 'd' },
  );
}

/** The resync function over one cluster, at its schedule. */
async function resyncScene(stage: Stage) {
  const { world, watched } = await worldScene(stage);
  let failure: Error | undefined;
  const entry = { name: TEST_CLUSTER, opened: { installation: installationOf(world, stage, () => failure) } };
  const comparisons: Comparisons = new Map();
  const { clock, logger, metrics } = world;
  const running = new Set<Promise<void>>();
  const resync = () => {
    const clusters = { all: () => [entry] } as never;
    const run = compareClusters({ clusters, clock, logger, metrics }, comparisons, clock.monotonic() + 600_000);
    running.add(run);
  };
  const minute = async () => {
    if (watched.isDue(scheduleMs(stage, 'resync'))) resync();
    await watched.schedules();
  };
  const end = async () => {
    await clock.advance(600_000);
    await Promise.all(running);
  };
  return { world, watched, minute, end, failWith: (error: Error | undefined) => (failure = error) };
}

export async function eventsAreLost(stage: Stage): Promise<Scene> {
  const { world, watched, minute, end } = await resyncScene(stage);
  return {
    watched,
    healthy: async () => {
      await world.drain();
      await minute();
    },
    broken: async () => {
      if (watched.isDue(stage.settings.intervals.resyncMs)) await createWidget(world, `lost-${watched.minute}`);
      await minute();
    },
    end,
  };
}

/** The same fault, found by resync: only resync sends requests while no relay runs. */
export async function resyncFindsNoAnswer(stage: Stage): Promise<Scene> {
  return await resyncFailsWith(stage, new ApiError('Unreachable', 'no answer'));
}

export async function tokenIsRefused(stage: Stage): Promise<Scene> {
  return await resyncFailsWith(stage, new ApiError('Unauthorized', 'no', { status: 401 }));
}

async function resyncFailsWith(stage: Stage, error: Error): Promise<Scene> {
  const { watched, minute, end, failWith } = await resyncScene(stage);
  return {
    watched,
    healthy: async () => {
      failWith(undefined);
      await minute();
    },
    broken: async () => {
      failWith(error);
      await minute();
    },
    end,
  };
}

export async function anotherDeploymentDrives(stage: Stage): Promise<Scene> {
  const { world, watched, minute, end } = await resyncScene(stage);
  const name = { namespace: 'evenkeel-system', name: 'evenkeel-widgets' };
  const holder = async (holderIdentity: string) => {
    const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
    await world.edit(
      Leases,
      { metadata: { ...name, uid: '', resourceVersion: '' } },
      { spec: { holderIdentity, renewTime } },
    );
  };
  return {
    watched,
    healthy: async () => {
      const lease = await world.user.get(Leases, name).catch(() => undefined);
      if (lease !== undefined && watched.isDue(60_000)) {
        const { holderIdentity } = lease.spec as { holderIdentity: string };
        if (holderIdentity === 'other') await holder('d');
      }
      await minute();
    },
    broken: async () => {
      await holder('other');
      await minute();
    },
    end,
  };
}

/** An unusable parameter of a cluster. The relay function finds it at every run. */
export async function parameterIsWrong(stage: Stage): Promise<Scene> {
  const { world, watched } = await worldScene(stage);
  const { clock, logger, metrics } = world;
  let value = 'right';
  const clusters = new ClusterDirectory<string>({
    parameters: { list: async () => [{ name: '/c/east', value }] },
    path: '/c',
    open: (parameter) => {
      if (parameter.value === 'wrong') throw new EvenkeelError('BAD', 'bad');
      return clusterNameOf(parameter);
    },
    openFaulty: (name) => name,
    close: async () => {},
    clock,
    logger,
    metrics,
  });
  const minute = async (written: string) => {
    value = written;
    await clusters.refresh();
    await watched.schedules();
  };
  return { watched, healthy: () => minute('right'), broken: () => minute('wrong') };
}

/** A pass whose worker dies before it commits. */
export async function passesDie(stage: Stage): Promise<Scene> {
  const { world, watched } = await worldScene(stage);
  const widget = await createWidget(world);
  let tries = 0;
  return {
    watched,
    healthy: async () => {
      tries = 0;
      await world.worker('healthy').handle(world.event(Widgets, widget));
      await watched.schedules();
    },
    broken: async () => {
      const event = world.event(Widgets, widget, { cause: 'requested' });
      const nowMs = world.clock.now();
      const until = { leaseUntilMs: nowMs + 30_000, latestUntilMs: nowMs + 34_000 };
      tries += 1;
      if (tries % 5 === 0) await world.worker('next').handle(event);
      else await world.store.acquire({ target: event, owner: 'dead', attempt: world.entropy.id(), nowMs, ...until });
      await watched.schedules();
    },
  };
}

/** An object with a timer each minute. The workers handle it at once, or every three minutes. */
export async function timersComeLate(stage: Stage): Promise<Scene> {
  const { world, watched } = await worldScene(stage, (nowMs) => checkAt(nowMs + 60_000));
  const widget = await createWidget(world);
  await world.worker().handle(world.event(Widgets, widget));
  const minute = async (isDue: boolean) => {
    await world.sweep.run();
    if (isDue) await world.drain();
    await watched.schedules();
  };
  return { watched, healthy: () => minute(true), broken: () => minute(watched.isDue(180_000)) };
}

/** SQS reports metrics of a queue each minute, until nobody has used it for six hours. */
const ACTIVE_MINUTES = 6 * 60;

function measureQueue(
  watched: WatchedStage,
  QueueName: string,
  queue: { oldestSeconds?: number; visible: number },
): void {
  const at = watched.clock.now();
  watched.cloudWatch.put('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, queue.visible, at);
  watched.cloudWatch.put('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }, queue.oldestSeconds ?? 0, at);
}

/** A message that no worker can handle. It stays there over a weekend and is then sent to its queue again. */
export function messagesDie(queue: (stage: Stage) => string): Fault {
  return async (stage) => {
    const { world, watched } = await worldScene(stage);
    const letters = () => world.queue('widgets').deadLetters().length;
    let touchedMinute = 0;
    let redriven = 0;
    const minute = async () => {
      if (watched.minute - touchedMinute < ACTIVE_MINUTES)
        measureQueue(watched, queue(stage), { visible: letters() - redriven });
      await watched.schedules();
    };
    return {
      watched,
      healthy: async () => {
        if (letters() > redriven) touchedMinute = watched.minute;
        redriven = letters();
        await minute();
      },
      broken: async () => {
        if (letters() === redriven) {
          touchedMinute = watched.minute;
          await world
            .queue('widgets')
            .send([{ body: '{', messageGroupId: 'g', deduplicationId: `d-${watched.minute}` }]);
          await world.drain();
        }
        await minute();
      },
    };
  };
}

/** Nothing receives messages from the queue. */
export function queueIsStuck(lane: Lane): Fault {
  return async (stage) => {
    const clock = new ManualClock();
    const watched = new WatchedStage(stage, clock);
    const queue = new MemoryFifoQueue({ clock });
    const name = `${queueName(stage.name, 'secret-contract', lane)}.fifo`;
    const minute = async (taken: boolean) => {
      const deduplicationId = `d-${watched.minute}`;
      await queue.send([{ body: '{}', messageGroupId: deduplicationId, deduplicationId }]);
      if (taken) {
        const received = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
        await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
      }
      const [oldest] = queue.messages();
      const oldestSeconds = oldest === undefined ? 0 : (clock.now() - oldest.sentAtMs) / 1_000;
      measureQueue(watched, name, { visible: queue.messages().length, oldestSeconds });
      await watched.schedules();
    };
    return { watched, healthy: () => minute(true), broken: () => minute(false) };
  };
}

/** The functions as AWS calls them, without any of their environment variables. */
const HANDLERS: Readonly<Record<string, () => Promise<unknown>>> = {
  reconcile: async () => (await import('../../../functions/reconcile.ts')).handler({ Records: [] } as never, context),
  wake: async () => (await import('../../../functions/wake.ts')).handler({ Records: [] } as never, context),
  sweep: async () => (await import('../../../functions/sweep.ts')).handler({}, context),
  resync: async () => (await import('../../../functions/resync.ts')).handler({}, context),
  relay: async () => (await import('../../../functions/relay.ts')).handler({}, context),
};
const context = { getRemainingTimeInMillis: () => 30_000 } as never;

type Trouble = 'fails' | 'is throttled' | 'is not called';

/** @param key of the function in serverless.yml. */
export function functionIn(trouble: Trouble, key: string): Fault {
  return async (stage) => {
    const watched = new WatchedStage(stage, new ManualClock());
    const deployed = deployedFunctions(stage).find((candidate) => candidate.key === key);
    if (deployed === undefined) throw new Error(`there is no function ${key}`);
    const { name, part } = deployed;
    // A queue calls its function when there is a message. While the function fails, the message returns every two
    // minutes.
    const everyMs = {
      sweep: stage.settings.intervals.sweepMs,
      resync: stage.settings.intervals.resyncMs,
      relay: 60_000,
    }[part as string];
    const run = async (how: 'well' | Trouble) => {
      await watched.schedules(name);
      if (!watched.isDue(everyMs ?? 120_000) || how === 'is not called') return;
      if (how === 'is throttled') watched.throttle(name);
      else if (how === 'well') await watched.invoke(name, async () => {});
      else if (!(await watched.invoke(name, HANDLERS[part] ?? (async () => {})))) throw new Error('it did not fail');
    };
    return { watched, healthy: () => run('well'), broken: () => run(trouble) };
  };
}

/** DynamoDB's responses for a table with too much load. The SDK's own retries are throttled as well. */
export async function tableIsThrottled(stage: Stage): Promise<Scene> {
  const { world, watched } = await worldScene(stage);
  const { metrics } = world;
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: 'http://127.0.0.1:1' },
    maxSockets: 1,
    onThrottled: (operation) => metrics.record('TableThrottled', 1, { Operation: operation }),
  });
  let busy = false;
  clients.dynamodb.config.requestHandler = {
    handle: async () => {
      const body = { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException', message: 'busy' };
      const answer = { statusCode: busy ? 400 : 200, headers: {}, body: Buffer.from(JSON.stringify(busy ? body : {})) };
      return { response: answer };
    },
  } as never;
  const { GetItemCommand } = await import('@aws-sdk/client-dynamodb');
  const minute = async (isBusy: boolean) => {
    busy = isBusy;
    if (watched.isDue(240_000)) {
      const asked = clients.dynamodb.send(new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' } } }));
      await asked.catch(() => {});
    }
    await watched.schedules();
  };
  return { watched, healthy: () => minute(false), broken: () => minute(true), end: async () => clients.close() };
}

export const deadLettersOf = (lane: Lane) => (stage: Stage) =>
  `${deadLetterName(queueName(stage.name, 'secret-contract', lane))}.fifo`;
export const deadWakes = (stage: Stage) => deadLetterName(wakeQueueName(stage.name));
