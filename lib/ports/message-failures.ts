/** Counts how often messages failed by their own fault. Written only when one fails; the counts expire by themselves. */
export interface MessageFailures {
  /**
   * Counts one more failure of a message. Repeated after an unknown outcome it may count one too many.
   * @param message names it among all messages of all queues, the same at each receive.
   * @returns how often it has failed, this time included.
   */
  countFailure(message: string, nowMs: number): Promise<number>;
}
