/**
 * How long a Retry-After header asks to wait, in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when
 * it is absent or neither; a date that has passed is 0.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse accepts more than dates of HTTP, such as a number alone.
  if (!/^[A-Z][a-z]+,? .*:/.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
