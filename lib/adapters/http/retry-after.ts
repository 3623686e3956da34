/**
 * The delay that a Retry-After header asks for, in milliseconds. The header has seconds or an HTTP date (RFC 9110,
 * 10.2.3). Undefined when it is absent or neither; 0 for a date in the past.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse also accepts texts that are not HTTP dates, such as a number alone.
  if (!/^[A-Z][a-z]+,? .*:/.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
