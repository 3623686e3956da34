const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a shell reports for a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Aborts at the first signal to end; the second one ends the process at once. */
export function exitSignal(onFirst: () => void): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    onFirst();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, listener);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
