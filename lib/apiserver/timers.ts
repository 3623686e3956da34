/** Where the server gets its delays from, so that a simulator can own them. */
export interface Timers {
  /** Runs the task once after the delay; the answer takes it back. */
  after(delayMs: number, task: () => void): () => void;
}
