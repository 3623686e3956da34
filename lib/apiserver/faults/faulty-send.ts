import type { TransportRequest, TransportResponse } from '../../adapters/kubernetes/transport.ts';
import { ConnectionReset, type Fault } from './fault.ts';

/** Faults of the connection. The server's answer has its own fault. */
export type ConnectionFault = Exclude<Fault, { status: number }>;

/** Sends the request with the fault applied. */
export async function faultySend(
  fault: ConnectionFault,
  request: TransportRequest,
  send: () => TransportResponse,
): Promise<TransportResponse> {
  if ('hang' in fault) return untilAborted(request.signal);
  if ('delay' in fault) {
    await Promise.race([fault.delay, untilAborted(request.signal)]);
    request.signal?.throwIfAborted();
    return send();
  }
  const response = send();
  if ('dropResponse' in fault) {
    await response.chunks()[Symbol.asyncIterator]().return?.();
    throw new ConnectionReset();
  }
  return cutAfter(response, fault.resetAfterBytes);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function cutAfter(response: TransportResponse, bytes: number): TransportResponse {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    let left = bytes;
    for await (const chunk of response.chunks()) {
      if (chunk.length > left) {
        if (left > 0) yield chunk.subarray(0, left);
        throw new ConnectionReset();
      }
      left -= chunk.length;
      yield chunk;
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    chunks,
    text: async () => {
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of chunks()) text += decoder.decode(chunk, { stream: true });
      return text;
    },
  };
}
