/**
 * Whether an exchange failed because its kept-alive connection had died in between: a frozen function, or a load balancer
 * that dropped an idle connection. Says nothing about whether the server saw the request.
 */
export function isDeadConnection(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

/** The code of an error of Node or undici, e.g. `ECONNREFUSED`: the first of several attempts', or of the cause. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code;
  return errorCode(error instanceof AggregateError ? error.errors[0] : error.cause);
}

/** Whether what came was not HTTP. Such an error of undici's holds the bytes that came, so it must not be kept. */
export function isUnreadableAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** Whether a proxy could be reached, and did not connect to the server. undici tells that by its text alone. */
export function isProxyRefusal(error: unknown): boolean {
  const code = errorCode(error);
  if (code === 'UND_ERR_PRX_TLS' || code === 'UND_ERR_PRX_CONN') return true;
  return code === 'UND_ERR_ABORTED' && error instanceof Error && error.message.startsWith('Proxy response (');
}
