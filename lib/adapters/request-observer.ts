export interface RequestDetail {
  /** The request's condition did not hold: it wrote nothing. */
  readonly refused?: boolean;
  /** The write set or removed a deadline, so the index over deadlines is written too if that changed it. */
  readonly deadline?: boolean;
}

/** Told of every request that an adapter sent, once it was answered: how benches and tests count them. */
export type OnRequest = (service: 'dynamodb' | 'sqs', operation: string, detail: RequestDetail) => void;
