import type { DeadLetter } from '../lib/ports/dead-letters.ts';

/** When, what it speaks of, and why it is dead. A body is shown as far as it is an event: it may be anything. */
export function letterLine({ body, reason, sentAtMs, messageId }: DeadLetter): string {
  const time = new Date(sentAtMs).toISOString();
  return `${time}  ${letterSubject(body) ?? `message ${messageId}`}  ${reason ?? 'received too often'}`;
}

/** What a dead letter is about; undefined where its body is no event. */
export function letterSubject(body: string): string | undefined {
  try {
    const { cluster, kind, namespace, name, cause } = JSON.parse(body) as Record<string, unknown>;
    const parts = [cluster, kind, name, cause];
    if (!parts.every((part) => typeof part === 'string' && /^[\w.-]{1,253}$/.test(part))) return undefined;
    const place = typeof namespace === 'string' && /^[a-z0-9-]{1,63}$/.test(namespace) ? `${namespace}/` : '';
    return `${cause} ${kind} ${place}${name} of cluster ${cluster}`;
  } catch {
    return undefined;
  }
}
