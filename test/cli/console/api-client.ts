import { ConsoleApi } from '../../../cli/console/answer-request.ts';
import type { ConsoleSource } from '../../../cli/console/console-source.ts';

/** A page that asks one console, without HTTP. */
export interface ApiClient {
  /** @throws Error when the answer is not 200. */
  get<View>(path: string, query?: Readonly<Record<string, string>>): Promise<View>;
  post(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: object }>;
}

export function apiClient(source: ConsoleSource): ApiClient {
  const api = new ConsoleApi(source, (error) => (error instanceof Error ? error.name : 'error'));
  return {
    async get<View>(path: string, query: Readonly<Record<string, string>> = {}) {
      const sent = { method: 'GET', path, query: new URLSearchParams(query), body: undefined };
      const { status, body } = await api.answer(sent);
      if (status !== 200) throw new Error(`GET ${path} answers ${status}: ${JSON.stringify(body)}`);
      return body as View;
    },
    post: (path, body = {}) => api.answer({ method: 'POST', path, query: new URLSearchParams(), body }),
  };
}
