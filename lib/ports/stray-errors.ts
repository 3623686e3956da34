/**
 * Finds the code that an uncaught error belongs to: a rejected promise that no code awaited, or an error of a callback.
 * Without it such an error ends the process, and with it all other passes.
 */
export interface StrayErrors {
  /**
   * Runs an author's code. Errors that are uncaught when it ends are reported before this resolves or rejects; later ones
   * are reported when they come.
   * @param onStray must not throw. It gets the thrown value.
   */
  run<Result>(task: () => Promise<Result>, onStray: (error: unknown) => void): Promise<Result>;
}
