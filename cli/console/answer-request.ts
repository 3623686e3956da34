import { EvenkeelError, errorLines } from '../../lib/core/errors.ts';
import { UsageError } from '../usage-error.ts';
import { ACTIONS } from './actions.ts';
import type { BulkView, Done, Refused } from './api-types.ts';
import { BulkRunner } from './bulk-runner.ts';
import { viewCluster } from './cluster-view.ts';
import { ConsoleReads } from './console-reads.ts';
import type { ConsoleSource } from './console-source.ts';
import { viewDeadLetters } from './dead-letter-view.ts';
import { listObjects } from './object-list.ts';
import { viewObject } from './object-view.ts';
import { viewOverview } from './overview.ts';
import { targetNamed } from './target-named.ts';

export interface ApiRequest {
  readonly method: string;
  /** The path without `/api/` and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed JSON body of an action. */
  readonly body: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: object;
}

type View = (query: URLSearchParams) => Promise<object>;

/** The console's API: views with GET, actions with POST. */
export class ConsoleApi {
  readonly #source: ConsoleSource;
  readonly #describe: (error: unknown) => string;
  readonly #reads: ConsoleReads;
  readonly #bulk: BulkRunner;
  readonly #views: Readonly<Record<string, View>>;

  /** @param describe reports an unexpected error without its text, which may quote anything. */
  constructor(source: ConsoleSource, describe: (error: unknown) => string) {
    this.#source = source;
    this.#describe = describe;
    const reads = new ConsoleReads(source);
    this.#reads = reads;
    this.#bulk = new BulkRunner(source.inspection.clock, describe);
    this.#views = {
      overview: () => viewOverview(reads),
      objects: (query) => listObjects(reads, Object.fromEntries(query)),
      object: (query) => viewObject(reads, targetNamed(source.inspection, objectIn(query))),
      cluster: () => viewCluster(reads),
      'dead-letters': (query) => viewDeadLetters(reads, Object.fromEntries(query)),
      bulk: async () => this.#viewBulk(),
    };
  }

  /** Stops an action for many objects, so that the process can end. */
  close(): void {
    this.#bulk.stop();
  }

  async answer(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#route(request);
    } catch (error) {
      if (error instanceof UsageError) return refused(400, errorLines(error).join(' '));
      if (error instanceof EvenkeelError)
        return refused(error.code === 'NO_SUCH_OBJECT' ? 404 : 502, errorLines(error).join(' '));
      return refused(500, `The console failed: ${this.#describe(error)}.`);
    }
  }

  #viewBulk(): BulkView {
    const report = this.#bulk.report();
    const frame = this.#reads.frame();
    if (report === undefined) return frame;
    return { ...frame, report, ...(report.state === 'running' && { refreshMs: BULK_REFRESH_MS }) };
  }

  async #route({ method, path, query, body }: ApiRequest): Promise<ApiAnswer> {
    const view = Object.hasOwn(this.#views, path) ? this.#views[path] : undefined;
    const act = Object.hasOwn(ACTIONS, path) ? ACTIONS[path] : undefined;
    if (view !== undefined)
      return method === 'GET' ? { status: 200, body: await view(query) } : refused(405, 'This is read by GET.');
    if (act === undefined) return refused(404, 'There is nothing at this address.');
    if (method !== 'POST') return refused(405, 'An action is sent by POST.');
    if (this.#source.readOnly) return refused(403, 'This console is read-only: it was started with --read-only.');
    const done: Done = { done: await act(this.#reads, body, this.#bulk) };
    return { status: 200, body: done };
  }
}

/** It costs no read, so the page may ask for it each second. */
const BULK_REFRESH_MS = 1_000;

function objectIn(query: URLSearchParams) {
  return { kind: query.get('kind') ?? '', namespace: query.get('namespace') ?? '', name: query.get('name') ?? '' };
}

function refused(status: number, error: string): ApiAnswer {
  const body: Refused = { error };
  return { status, body };
}
