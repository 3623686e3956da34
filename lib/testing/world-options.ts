import type { Transport } from '../adapters/kubernetes/transport.ts';
import type { MemoryStateStore } from '../adapters/memory/memory-state-store.ts';
import type { OnRequest } from '../adapters/request-observer.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { Controller } from '../core/controller.ts';
import type { PassOptions } from '../engine/pass/pass.ts';
import type { StateStore } from '../ports/state-store.ts';

export interface WorldOptions {
  readonly controllers: readonly Controller[];
  readonly seed?: number;
  /** The wall clock at the start, epoch ms. */
  readonly startMs?: number;
  /** Whether the cluster starts empty, for objects of another cluster. */
  readonly isPart?: boolean;
  readonly pass?: Partial<PassOptions>;
  readonly onRequest?: OnRequest;
  /** Wraps the table for the engine, to inject faults. */
  readonly wrapStore?: (store: MemoryStateStore) => StateStore;
  /** Wraps the API server for the engine, to inject faults. */
  readonly wrapTransport?: (server: ApiServer) => Transport;
}
