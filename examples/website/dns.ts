/** The part of a DNS provider's API that a Website needs. Every call may be repeated. */
export interface DnsClient {
  /** @returns what the name points to; undefined when there is no record. */
  find(host: string, signal: AbortSignal): Promise<string | undefined>;
  point(host: string, target: string, signal: AbortSignal): Promise<void>;
  remove(host: string, signal: AbortSignal): Promise<void>;
}

/** A stand-in for a DNS provider, which keeps its records in memory: for tests and for trying the example. */
export class DnsStandIn implements DnsClient {
  readonly records = new Map<string, string>();

  async find(host: string): Promise<string | undefined> {
    return this.records.get(host);
  }

  async point(host: string, target: string): Promise<void> {
    this.records.set(host, target);
  }

  async remove(host: string): Promise<void> {
    this.records.delete(host);
  }
}
