import { KeycloakStandIn } from '../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { type ListeningStandIn, listenStandIn } from '../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import type { Transport } from '../lib/adapters/kubernetes/transport.ts';
import { type EmbeddedQueue, startEmbeddedQueue } from '../lib/adapters/local/embedded-queue.ts';
import { startEmbeddedTable } from '../lib/adapters/local/embedded-table.ts';
import { LOCAL_REALMS, localIdentityCredentials } from '../lib/adapters/local/local-identity.ts';
import { loopbackIdentity } from '../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../lib/adapters/system/new-token.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { ApiServer } from '../lib/apiserver/api-server.ts';
import type { Listening } from '../lib/apiserver/listen.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { LOCAL_STAGE, queueName, tableName, wakeQueueName } from '../lib/deployment/installation/resource-names.ts';
import { MAX_RECEIVE_COUNT } from '../lib/ports/queue.ts';
import type { RunRecord } from './state/run-record.ts';

/** The embedded parts, each on a free port of 127.0.0.1. */
export interface LocalStack {
  /** What each of them asks for. Made here, and worth nothing once they have ended. */
  readonly token: string;
  readonly queue: RunRecord['queue'];
  readonly table: RunRecord['table'];
  /** The embedded API server; absent with a real cluster. */
  readonly apiServer: ServedApiServer | undefined;
  /** The stand-in for an identity server, where one is needed. */
  readonly identity: ListeningStandIn | undefined;
  close(): Promise<void>;
}

export interface ServedApiServer extends Listening {
  /** The same server for this process: a function call in place of a connection. */
  readonly transport: Transport;
}

export interface LocalStackOptions {
  readonly groups: readonly string[];
  readonly visibilityMs: number;
  /** The port of the embedded API server, 0 for a free one; undefined with a real cluster. */
  readonly apiServerPort: number | undefined;
  /** Whether a stand-in for an identity server is needed. */
  readonly identity?: boolean;
}

/** @throws EvenkeelError PORT_IN_USE */
export async function startLocalStack({
  groups,
  visibilityMs,
  apiServerPort,
  identity: needsIdentity = false,
}: LocalStackOptions): Promise<LocalStack> {
  await using started = new AsyncDisposableStack();
  const token = newToken();
  const apiServer = apiServerPort === undefined ? undefined : await listen(apiServerPort, token);
  started.defer(async () => await apiServer?.close());
  const queue = await startEmbeddedQueue({ token });
  started.defer(() => queue.close());
  const table = await startEmbeddedTable({ tableName: tableName(LOCAL_STAGE), token });
  started.defer(() => table.close());
  const identity = needsIdentity ? await startIdentity(token) : undefined;
  started.defer(async () => await identity?.close());
  const stack: LocalStack = {
    token,
    queue: await createQueues(queue, groups, visibilityMs),
    table: { endpoint: table.endpoint, name: table.tableName },
    apiServer,
    identity,
    close: () => running.disposeAsync(),
  };
  const running = started.move();
  return stack;
}

function startIdentity(token: string): Promise<ListeningStandIn> {
  const entropy = new SystemEntropy();
  const standIn = new KeycloakStandIn({
    clock: new SystemClock(),
    newId: () => entropy.id(),
    credentials: localIdentityCredentials(token),
    realms: LOCAL_REALMS,
  });
  return listenStandIn(standIn);
}

async function createQueues(
  queue: EmbeddedQueue,
  groups: readonly string[],
  visibilityMs: number,
): Promise<RunRecord['queue']> {
  const redrive = { visibilitySeconds: Math.ceil(visibilityMs / 1_000), maxReceiveCount: MAX_RECEIVE_COUNT };
  const byGroup: RunRecord['queue']['groups'] = {};
  for (const group of groups) {
    byGroup[group] = {
      events: await queue.createFifoQueue(queueName(LOCAL_STAGE, group, 'events'), redrive),
      resync: await queue.createFifoQueue(queueName(LOCAL_STAGE, group, 'resync'), redrive),
    };
  }
  return {
    endpoint: queue.endpoint,
    groups: byGroup,
    wakes: await queue.createDelayQueue(wakeQueueName(LOCAL_STAGE), redrive),
  };
}

async function listen(port: number, token: string): Promise<ServedApiServer> {
  const clock = new SystemClock();
  const entropy = new SystemEntropy();
  const server = new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
    timers: {
      after: (delayMs, task) => {
        const timer = setTimeout(task, delayMs);
        timer.unref();
        return () => clearTimeout(timer);
      },
    },
  });
  server.controllers.switchOn();
  try {
    return { ...(await server.listen({ port, token, tls: loopbackIdentity(clock.now()) })), transport: server };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EADDRINUSE' ? 'is in use' : 'may not be used by this user';
    throw new EvenkeelError(
      'PORT_IN_USE',
      `port ${port} of 127.0.0.1, wanted for the API server, ${why}. Use another port with --port, or remove --port to use a free one.`,
      { cause: error, data: { port } },
    );
  }
}
