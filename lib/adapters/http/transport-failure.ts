/**
 * Whether an exchange failed because its kept-alive connection was dead: the function had been frozen, or a load balancer
 * had dropped the idle connection. The server may have seen the request or not.
 */
export function isDeadConnection(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

/**
 * The code of an error of Node.js or undici, e.g. `ECONNREFUSED`: that of the first of several attempts, or of the
 * cause.
 */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code;
  return errorCode(error instanceof AggregateError ? error.errors[0] : error.cause);
}

/** Whether the answer was not HTTP. The error of undici contains the received bytes, so it must not become a cause. */
export function isUnreadableAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** Whether a proxy was reached and did not connect to the server. Only the text of the error of undici shows this. */
export function isProxyRefusal(error: unknown): boolean {
  const code = errorCode(error);
  if (code === 'UND_ERR_PRX_TLS' || code === 'UND_ERR_PRX_CONN') return true;
  return code === 'UND_ERR_ABORTED' && error instanceof Error && error.message.startsWith('Proxy response (');
}
