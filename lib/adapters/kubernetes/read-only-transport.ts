import { EvenkeelError } from '../../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A request that would change the cluster was refused. The message contains no content of an object. */
export class WriteRefusedError extends EvenkeelError {
  constructor({ method, path }: Pick<TransportRequest, 'method' | 'path'>) {
    const [resource = ''] = path.split('?', 1);
    super('WRITE_REFUSED', `${method} ${resource} was not sent, because this connection only reads`);
  }
}

/** A transport that sends no write to the cluster. */
export class ReadOnlyTransport implements Transport {
  /** The number of refused requests. */
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
