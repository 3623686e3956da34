import type { RequestInfo, Verb } from './request-info.ts';

/** One answered request. */
export interface RequestRecord extends Omit<RequestInfo, 'verb'> {
  /** A resource verb; for other requests the HTTP method in lower case. */
  readonly verb: Verb | string;
  readonly path: string;
  /** The media type of the body. For a patch this is the type of the patch. */
  readonly contentType: string;
  readonly userAgent: string;
  /** HTTP status of the answer; 0 when the client got none because of a fault. */
  readonly status: number;
}

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Whether the request may change something. counts these requests. */
export function isWrite(record: RequestRecord): boolean {
  return writeVerbs.has(record.verb);
}

/** The answered requests, in order, for tests that count them. Only the most recent ones are kept. */
export class RequestLog {
  readonly #limit: number;
  #records: RequestRecord[] = [];
  #total = 0;

  /** @param limit the number of records that are kept at least. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of answered requests since the start or the last `clear`, dropped records included. */
  get total(): number {
    return this.#total;
  }

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  add(record: RequestRecord): void {
    this.#total += 1;
    this.#records.push(record);
    if (this.#records.length > 2 * this.#limit) this.#records = this.#records.slice(-this.#limit);
  }

  /** The records whose fields are equal to those of the sample. */
  find(sample: Partial<RequestRecord>): RequestRecord[] {
    const wanted = Object.entries(sample) as [keyof RequestRecord, unknown][];
    return this.#records.filter((record) => wanted.every(([field, value]) => record[field] === value));
  }

  writes(sample: Partial<RequestRecord> = {}): RequestRecord[] {
    return this.find(sample).filter(isWrite);
  }

  clear(): void {
    this.#records = [];
    this.#total = 0;
  }
}
