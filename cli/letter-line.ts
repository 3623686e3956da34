import type { DeadLetter } from '../lib/ports/dead-letters.ts';

/**
 * One line for a dead letter: its time, its object and its reason. A body is shown only as far as it is an event,
 * because it may contain anything.
 */
export function letterLine({ body, reason, sentAtMs, messageId }: DeadLetter): string {
  const time = new Date(sentAtMs).toISOString();
  return `${time}  ${letterSubject(body) ?? `message ${messageId}`}  ${reason ?? 'received too often'}`;
}

/** The object of a dead letter; undefined when its body is not an event. */
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
