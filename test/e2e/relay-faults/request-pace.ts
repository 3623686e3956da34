import type { Transport, TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

const MINUTE_MS = 60_000;

/** Counts the requests to the API server, answered or not, by the caller's clock. */
export class RequestPace {
  private readonly clock: Clock;
  private readonly timesMs: number[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get total(): number {
    return this.timesMs.length;
  }

  /** The highest number of requests in any minute. */
  busiestMinute(): number {
    let most = 0;
    let from = 0;
    this.timesMs.forEach((atMs, index) => {
      while ((this.timesMs[from] ?? 0) <= atMs - MINUTE_MS) from += 1;
      most = Math.max(most, index - from + 1);
    });
    return most;
  }

  /** Wraps a transport and counts its requests, whatever happens to them. */
  counted(transport: Transport): Transport {
    return {
      send: (request: TransportRequest): Promise<TransportResponse> => {
        this.timesMs.push(this.clock.now());
        return transport.send(request);
      },
    };
  }
}
