import { EvenkeelError } from '../../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A request that would have changed the cluster was not sent. It names no object's content. */
export class WriteRefusedError extends EvenkeelError {
  constructor({ method, path }: Pick<TransportRequest, 'method' | 'path'>) {
    const [resource = ''] = path.split('?', 1);
    super('WRITE_REFUSED', `${method} ${resource} was not sent, because this connection only reads`);
  }
}

/** A connection to a cluster over which nothing is written, whatever its user sends. */
export class ReadOnlyTransport implements Transport {
  /** Requests that were not sent. */
  refused = 0;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @throws WriteRefusedError */
  async send(request: TransportRequest): Promise<TransportResponse> {
    if (request.method !== 'GET') {
      this.refused += 1;
      throw new WriteRefusedError(request);
    }
    return await this.#transport.send(request);
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#transport.ready?.(signal);
  }
}
