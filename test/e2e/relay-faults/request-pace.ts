import type { Transport, TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

const MINUTE_MS = 60_000;

/** Counts what is asked of the API server, answered or not, by the clock of whoever asks. */
export class RequestPace {
  private readonly clock: Clock;
  private readonly timesMs: number[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get total(): number {
    return this.timesMs.length;
  }

  /** The most requests that there were in any minute. */
  busiestMinute(): number {
    let most = 0;
    let from = 0;
    this.timesMs.forEach((atMs, index) => {
      while ((this.timesMs[from] ?? 0) <= atMs - MINUTE_MS) from += 1;
      most = Math.max(most, index - from + 1);
    });
    return most;
  }

  /** A transport whose requests are counted, wherever they end. */
  counted(transport: Transport): Transport {
    return {
      send: (request: TransportRequest): Promise<TransportResponse> => {
        this.timesMs.push(this.clock.now());
        return transport.send(request);
      },
    };
  }
}
