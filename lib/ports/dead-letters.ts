/** A queue of messages that no worker could handle. */
export interface DeadLetterQueue {
  /** Without the ending `.fifo`. */
  readonly name: string;
  /** About how many messages it holds. */
  readonly count: number;
}

export interface DeadLetter {
  readonly messageId: string;
  readonly body: string;
  /** Why it is here; undefined for one that was received too often. */
  readonly reason?: string;
  readonly sentAtMs: number;
}

/** The dead letters of a deployment, for an operator. Methods reject with InfrastructureError. */
export interface DeadLetters {
  /** The dead-letter queues whose names begin with the stage's, by name: those of stage `prod-eu` for `prod` as well. */
  queues(stage: string): Promise<DeadLetterQueue[]>;
  /** Some of its messages, which stay where they are. Of one message group ten at most can be seen. */
  peek(queue: DeadLetterQueue): Promise<DeadLetter[]>;
  /**
   * Sends its messages to the queue they came from, in order, and deletes each one only after that queue accepted it. A
   * message that comes back during that stays.
   * @param onSent called after each one.
   */
  redrive(queue: DeadLetterQueue, onSent: (letter: DeadLetter) => void): Promise<void>;
}
