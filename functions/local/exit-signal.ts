const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a shell reports for a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;

export interface ExitSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Ends the process as a signal would, for another reason. */
  abort(): void;
}

/** Aborts at the first signal to end; the second one ends the process at once. */
export function exitSignal(onFirst: () => void): ExitSignal {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    onFirst();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, listener);
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
