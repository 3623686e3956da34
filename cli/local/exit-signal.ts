const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The exit code of a shell for a process that Ctrl-C ended. */
const INTERRUPTED = 130;
/**
 * One Ctrl-C may arrive several times: the terminal sends it to the whole foreground process group, and a parent in
 * that group (npm, or the starter on an old Node.js) passes it on.
 */
const SAME_SIGNAL_MS = 500;
const PARENT_CHECK_MS = 500;

export interface ExitSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Ends the process as a signal does, for another reason. */
  abort(): void;
}

/**
 * Aborts at the first signal. A second one, some time later, ends the process at once.
 * @param parentPid set when the end of the parent counts as a signal too.
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
 * npm sends SIGTERM to the shell of a script, and the shell ends without sending it further. So under npm the end of
 * the parent counts as the signal: `kill` of `npm start` leaves no process behind.
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
