import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const SOCKET_FILE = /^process-.*\.sock$/;
/** Only this user may use the socket: a process that may open the state file may also wake the others. */
const SOCKET_MODE = 0o600;
/** A length that every system allows: 104 bytes on macOS, 108 on Linux, with the zero at the end. */
const LONGEST_PATH_BYTES = 103;
/** How often it searches for processes that joined. */
const FIND_MS = 1_000;
/** A byte means that there may be a message. It carries nothing else. */
const WAKE = Buffer.of(1);

/**
 * Wakes the processes of a state file through sockets in its directory. Each process that joined listens on one. No
 * delivery depends on them: without a wake, a receiver checks each second (`longPoll`).
 */
export class WakeSockets {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #onWake: () => void;
  readonly #peers = new Map<string, Socket>();
  #own: { readonly name: string; readonly server: Server } | undefined;
  #findAtMs = Number.NEGATIVE_INFINITY;

  /** @param onWake called when another process may have sent a message. */
  constructor({ path, clock }: Pick<SqliteConnection, 'path' | 'clock'>, onWake: () => void) {
    this.#directory = dirname(path);
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** Whether other processes can wake this one. */
  get isListening(): boolean {
    return this.#own !== undefined;
  }

  /**
   * Listens under a name that no other process has. Does nothing when the system has no such sockets, or when the path
   * is too long for one.
   */
  async listen(name: string): Promise<void> {
    const path = this.#path(name);
    if (process.platform === 'win32' || Buffer.byteLength(path) > LONGEST_PATH_BYTES) return;
    const server = createServer((socket) => {
      socket.unref();
      socket.on('data', this.#onWake);
      socket.on('error', () => socket.destroy());
    }).unref();
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ path }, () => resolve(true));
    });
    if (!isListening) return;
    server.on('error', () => {});
    chmodSync(path, SOCKET_MODE);
    this.#own = { name: socketName(name), server };
  }

  /** Wakes the other processes. Call this after the commit of a message. */
  wakeOthers(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs >= this.#findAtMs) {
      this.#findAtMs = nowMs + FIND_MS;
      this.#find();
    }
    for (const socket of this.#peers.values()) {
      // When an earlier byte is still unsent, its receiver reads it after this commit.
      if (socket.writableLength === 0) socket.write(WAKE);
    }
  }

  /** Removes the socket of a process that ended without leaving. */
  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  /** Stops listening, and removes the socket. */
  stopListening(): void {
    this.#own?.server.close();
    this.#own = undefined;
  }

  close(): void {
    this.stopListening();
    for (const socket of this.#peers.values()) socket.destroy();
    this.#peers.clear();
  }

  #find(): void {
    for (const file of socketFiles(this.#directory)) {
      if (file === this.#own?.name || this.#peers.has(file)) continue;
      const socket = connect({ path: join(this.#directory, file) }).unref();
      const forget = () => {
        socket.destroy();
        this.#peers.delete(file);
      };
      socket.on('error', forget);
      socket.on('close', forget);
      this.#peers.set(file, socket);
    }
  }

  #path(name: string): string {
    return join(this.#directory, socketName(name));
  }
}

function socketName(name: string): string {
  return `process-${name}.sock`;
}

function socketFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((file) => SOCKET_FILE.test(file));
  } catch {
    // The directory was removed.
    return [];
  }
}
