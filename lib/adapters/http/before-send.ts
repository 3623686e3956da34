/** The caller of a request stopped it before it was sent; the cause is what it threw. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Wraps an error of `beforeSend`, so that the caller can distinguish it from a failed request: nothing was sent. */
export function stopping(beforeSend: () => void): () => void {
  return () => {
    try {
      beforeSend();
    } catch (cause) {
      throw new StoppedError('stopped before it was sent', { cause });
    }
  };
}
