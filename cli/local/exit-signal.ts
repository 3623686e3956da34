const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a shell reports for a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;
/**
 * One Ctrl-C can come more than once: the terminal sends it to the whole foreground group, and a parent in it (npm, or
 * the starter on an old Node.js) passes it on.
 */
const SAME_SIGNAL_MS = 500;
const PARENT_CHECK_MS = 500;

export interface ExitSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Ends the process as a signal would, for another reason. */
  abort(): void;
}

/**
 * Aborts at the first signal to end; a later second one ends the process at once.
 * @param parentPid set when the end of the parent is a signal to end too.
 */
export function exitSignal(onFirst: () => void, parentPid?: () => number): ExitSignal {
  const controller = new AbortController();
  let isAnother = false;
  let distinguishing: NodeJS.Timeout | undefined;
  const listener = () => {
    if (isAnother) process.exit(INTERRUPTED);
    if (controller.signal.aborted) return;
    onFirst();
    controller.abort();
    distinguishing = setTimeout(() => {
      isAnother = true;
    }, SAME_SIGNAL_MS).unref();
  };
  for (const name of SIGNALS) process.on(name, listener);
  const watching = parentPid === undefined ? undefined : watchParent(parentPid, listener);
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, listener);
      clearInterval(watching);
      clearTimeout(distinguishing);
    },
  };
}

/**
 * npm passes SIGTERM to the shell it runs a script in, and that shell ends without passing it on. So below npm the end of
 * the parent stands for the signal: `kill` of an `npm start` leaves nothing behind.
 */
function watchParent(parentPid: () => number, onEnd: () => void): NodeJS.Timeout {
  const parent = parentPid();
  const watching = setInterval(() => {
    if (parentPid() === parent) return;
    clearInterval(watching);
    onEnd();
  }, PARENT_CHECK_MS).unref();
  return watching;
}
