import { EvenkeelError } from '../../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A request that would have changed the cluster was not sent. It names no object's content. */
export class WriteRefusedError extends EvenkeelError {
  constructor({ method, path }: Pick<TransportRequest, 'method' | 'path'>) {
    const [resource = ''] = path.split('?', 1);
    super('WRITE_REFUSED', `${method} ${resource} was not sent, because this connection only reads`);
  }
}

export interface ReadOnlyOptions {
  /** Lets writes pass that the API server only tries (`dryRun=All`). */
  readonly dryRuns?: boolean;
}

/** A connection to a cluster over which nothing is written, whatever its user sends. */
export class ReadOnlyTransport implements Transport {
  /** Requests that were not sent. */
  refused = 0;
  readonly #transport: Transport;
  readonly #dryRuns: boolean;

  constructor(transport: Transport, { dryRuns = false }: ReadOnlyOptions = {}) {
    this.#transport = transport;
    this.#dryRuns = dryRuns;
  }

  /** @throws WriteRefusedError */
  async send(request: TransportRequest): Promise<TransportResponse> {
    if (request.method !== 'GET' && !(this.#dryRuns && isDryRun(request.path))) {
      this.refused += 1;
      throw new WriteRefusedError(request);
    }
    return await this.#transport.send(request);
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#transport.ready?.(signal);
  }
}

/** Every value counts: the API server reads a repeated parameter in its own way. */
function isDryRun(path: string): boolean {
  const [, query = ''] = path.split('?', 2);
  const values = new URLSearchParams(query).getAll('dryRun');
  return values.length > 0 && values.every((value) => value === 'All');
}
