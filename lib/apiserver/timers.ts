/** The source of the server's delays. A simulator replaces it. */
export interface Timers {
  /** Runs the task once after the delay. The returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}
