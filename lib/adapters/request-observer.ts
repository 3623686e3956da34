export interface RequestDetail {
  /** The condition of the request did not hold, so it wrote nothing. */
  readonly refused?: boolean;
  /** The write set or removed a timer, so the index over timers is also written if it changed. */
  readonly deadline?: boolean;
}

/** Called after each request of an adapter was answered. Benches and tests count requests with it. */
export type OnRequest = (service: 'dynamodb' | 'sqs', operation: string, detail: RequestDetail) => void;
