import { useEffect, useState } from 'preact/hooks';
import type { Done, Frame, Refused } from '../api-types.ts';

/** The state of one address of the API in the page. */
export interface Loaded<View> {
  readonly view?: View;
  /** Why the last request failed. The earlier view stays. */
  readonly error?: string;
  /** The server's clock minus the browser's, in ms. */
  readonly aheadMs: number;
}

const BUILD_HEADER = 'x-evenkeel-build';
const OWN_BUILD = document.querySelector<HTMLMetaElement>('meta[name="evenkeel-build"]')?.content;
const RETRY_MS = 5_000;

const listeners = new Set<() => void>();
const staleListeners = new Set<(isStale: boolean) => void>();

/** Sends the requests again now, e.g. after an action. */
export function refresh(): void {
  for (const listener of listeners) listener();
}

/** Whether a process with another version of the page answers now. */
export function useIsStale(): boolean {
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    staleListeners.add(setStale);
    return () => void staleListeners.delete(setStale);
  }, []);
  return isStale;
}

/**
 * Loads an address of the API, and repeats it in the server's interval while the page is visible.
 * @param path undefined loads nothing.
 * @param key of what is shown: the view of an earlier path with the same key stays until the new one is loaded.
 */
export function useView<View extends Frame>(path: string | undefined, key = path): Loaded<View> {
  const [loaded, setLoaded] = useState<Loaded<View> & { readonly key: string | undefined }>({ key, aheadMs: 0 });
  useEffect(() => {
    if (path === undefined) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    setLoaded((before) => (before.key === key ? before : { key, aheadMs: 0 }));
    const load = async () => {
      clearTimeout(timer);
      let waitMs = RETRY_MS;
      if (document.hidden) return;
      try {
        const view = await request<View>(path, { signal: stop.signal });
        waitMs = view.refreshMs;
        setLoaded({ key, view, aheadMs: Date.parse(view.now) - Date.now() });
      } catch (error) {
        if (stop.signal.aborted) return;
        setLoaded((before) => ({ ...before, error: textOf(error) }));
      }
      if (!stop.signal.aborted) {
        clearTimeout(timer);
        timer = setTimeout(load, waitMs);
      }
    };
    const again = () => void load();
    listeners.add(again);
    document.addEventListener('visibilitychange', again);
    again();
    return () => {
      stop.abort();
      clearTimeout(timer);
      listeners.delete(again);
      document.removeEventListener('visibilitychange', again);
    };
  }, [path]);
  // The answer for another list or object is not shown while the new one is loading.
  return loaded.key === key ? loaded : { aheadMs: 0 };
}

/** Requests an action. @returns the server's sentence about what was done. @throws Error with the server's reason. */
export async function act(action: string, body: object): Promise<string> {
  const { done } = await request<Done>(action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  refresh();
  return done;
}

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { ...init, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Error('The process does not answer. If it was started again, open the link that it printed.');
  }
  const build = response.headers.get(BUILD_HEADER);
  if (build !== null) for (const listener of staleListeners) listener(build !== OWN_BUILD);
  if (response.status === 401) throw new Error('The process was started again. Open the link that it printed last.');
  const answer = (await response.json().catch(() => ({}))) as Answer & Partial<Refused>;
  if (!response.ok) throw new Error(answer.error ?? `The process answered ${response.status}.`);
  return answer;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The request failed.';
}
