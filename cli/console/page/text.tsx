import { visibleText } from '../../../lib/deployment/terminal/visible-text.ts';

/**
 * Text from outside: names and messages of anybody. What is not seen, or turns the direction of writing, is shown by its
 * code, and its direction ends with it.
 */
export function Text({ of }: { readonly of: string | number | undefined }) {
  return <bdi>{visibleText(String(of ?? ''))}</bdi>;
}

/** `in 4m 5s`, `12s ago`, `now`. @param ms ahead of now. */
export function relative(ms: number): string {
  if (Math.abs(ms) < 1_000) return 'now';
  return ms > 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** How an object's state is called. */
export const STATE_NAMES: Readonly<Record<string, string>> = {
  failing: 'failing',
  notReady: 'not ready',
  deleting: 'being deleted',
  running: 'running',
  paused: 'paused',
  unmanaged: 'not driven here',
  ready: 'ready',
  settled: 'settled',
};
