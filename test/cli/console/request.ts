import { request } from 'node:http';

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * A request with exactly these headers, because `fetch` does not allow a chosen Host or Origin. @param url of the
 * console.
 */
export function send(url: string, { method = 'GET', path = '/', headers = {}, body = '' }: Sent): Promise<Answered> {
  const { port, host } = new URL(url);
  const answered = Promise.withResolvers<Answered>();
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { host, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      answered.resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
  });
  sent.on('error', answered.reject);
  sent.end(body);
  return answered.promise;
}

export function tokenOf(url: string): string {
  return new URL(url).searchParams.get('token') ?? '';
}
