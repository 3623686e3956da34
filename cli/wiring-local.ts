import { KeycloakStandIn } from '../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { type ListeningStandIn, listenStandIn } from '../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { LOCAL_REALMS, localIdentityCredentials } from '../lib/adapters/keycloak/stand-in-account.ts';
import type { Transport } from '../lib/adapters/kubernetes/transport.ts';
import { loopbackIdentity } from '../lib/adapters/loopback/loopback-identity.ts';
import type { SqliteState } from '../lib/adapters/sqlite/open-sqlite-state.ts';
import { newToken } from '../lib/adapters/system/new-token.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { ApiServer } from '../lib/apiserver/api-server.ts';
import type { Listening } from '../lib/apiserver/listen.ts';
import { EvenkeelError } from '../lib/core/errors.ts';

/** The embedded parts; each one listens on a free port of 127.0.0.1. */
export interface LocalStack {
  /** The token that each of them requires. It is created here, and useless after they have ended. */
  readonly token: string;
  /** The embedded API server; absent with a real cluster. */
  readonly apiServer: ServedApiServer | undefined;
  /** The stand-in for an identity server, if one is needed. */
  readonly identity: ListeningStandIn | undefined;
  close(): Promise<void>;
}

export interface ServedApiServer extends Listening {
  /** The same server for this process, with a function call in place of a connection. */
  readonly transport: Transport;
}

export interface LocalStackOptions {
  /** Stores the objects of the embedded API server. */
  readonly state: Pick<SqliteState, 'clusterObjects'>;
  /** The port of the embedded API server, 0 for a free one; undefined with a real cluster. */
  readonly apiServerPort: number | undefined;
  /** Whether a stand-in for an identity server is needed. */
  readonly identity?: boolean;
}

/** @throws EvenkeelError PORT_IN_USE */
export async function startLocalStack({
  state,
  apiServerPort,
  identity: needsIdentity = false,
}: LocalStackOptions): Promise<LocalStack> {
  await using started = new AsyncDisposableStack();
  const token = newToken();
  const apiServer = apiServerPort === undefined ? undefined : await listen(apiServerPort, token, state);
  started.defer(async () => await apiServer?.close());
  const identity = needsIdentity ? await startIdentity(token) : undefined;
  started.defer(async () => await identity?.close());
  const running = started.move();
  return { token, apiServer, identity, close: () => running.disposeAsync() };
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

async function listen(
  port: number,
  token: string,
  { clusterObjects }: Pick<SqliteState, 'clusterObjects'>,
): Promise<ServedApiServer> {
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
    keeper: { keep: (write) => clusterObjects.add(write), kept: () => clusterObjects.written() },
    kept: await clusterObjects.load(),
  });
  server.controllers.switchOn();
  try {
    const listening = await server.listen({ port, token, tls: loopbackIdentity(clock.now()) });
    const close = async () => {
      await listening.close();
      await clusterObjects.written();
    };
    return { ...listening, close, transport: server };
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
