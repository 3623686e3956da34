/**
 * Counts how often messages failed because of the message itself. Written only when a message fails; the counts expire
 * by themselves.
 */
export interface MessageFailures {
  /**
   * Counts one more failure of a message. When it is repeated after an unknown result, it may count one too many.
   * @param message the name of the message, unique among all queues and the same at each receive.
   * @returns the number of failures, with this one.
   */
  countFailure(message: string, nowMs: number): Promise<number>;
}
