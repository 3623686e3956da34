/** A queue of messages that nobody could handle. */
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

/** The dead letters of a deployment, as an operator handles them. Methods reject with InfrastructureError. */
export interface DeadLetters {
  /** The dead-letter queues whose names begin with the stage's, by name: those of stage `prod-eu` for `prod` as well. */
  queues(stage: string): Promise<DeadLetterQueue[]>;
  /** Some of its messages, which stay where they are. Of one message group ten at most can be seen. */
  peek(queue: DeadLetterQueue): Promise<DeadLetter[]>;
  /**
   * Sends its messages to the queue they came from, in order, and takes each away only once it was accepted there. One
   * that comes back during that stays.
   * @param onSent told after each.
   */
  redrive(queue: DeadLetterQueue, onSent: (letter: DeadLetter) => void): Promise<void>;
}
