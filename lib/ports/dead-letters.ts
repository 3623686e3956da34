/** A queue of messages that no worker could handle. */
export interface DeadLetterQueue {
  /** Without the ending `.fifo`. */
  readonly name: string;
  /** The approximate number of messages in it. */
  readonly count: number;
}

export interface DeadLetter {
  readonly messageId: string;
  readonly body: string;
  /** The reason; undefined for a message that was received too often. */
  readonly reason?: string;
  readonly sentAtMs: number;
}

/** The dead letters of a deployment, for an operator. Methods reject with InfrastructureError. */
export interface DeadLetters {
  /**
   * The dead-letter queues whose names start with the stage's, by name. For `prod` these include the queues of the
   * stage `prod-eu`.
   */
  queues(stage: string): Promise<DeadLetterQueue[]>;
  /** Some of its messages, which stay in the queue. At most ten messages of one message group are visible. */
  peek(queue: DeadLetterQueue): Promise<DeadLetter[]>;
  /**
   * Sends its messages to the queue that they came from, in order, and deletes each one only after that queue accepted
   * it. A message that is received again during that stays.
   * @param onSent called after each one.
   */
  redrive(queue: DeadLetterQueue, onSent: (letter: DeadLetter) => void): Promise<void>;
}
