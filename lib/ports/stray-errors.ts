/**
 * Tells whose code an error belongs to that nobody caught: a rejected promise that nobody awaited, or what a callback threw.
 * Without it such an error ends the process, and the passes of everybody else with it.
 */
export interface StrayErrors {
  /**
   * Runs an author's code. What it left behind uncaught by the time it ends is reported before this resolves or rejects; what
   * comes later is reported as it comes.
   * @param onStray must not throw. It gets whatever was thrown.
   */
  run<Result>(task: () => Promise<Result>, onStray: (error: unknown) => void): Promise<Result>;
}
