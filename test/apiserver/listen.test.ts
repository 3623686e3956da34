import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Listening } from '../../lib/apiserver/listen.ts';
import { testServer, widget, widgetServer, widgets } from './api-client.ts';

const token = 'a-token';
const authorization = `Bearer ${token}`;
let listening: Listening | undefined;

afterEach(async () => {
  await listening?.close();
});

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

function call(url: string, options: { method?: string; host?: string; body?: string } = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization,
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = request(url, { method: options.method ?? 'GET', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

describe('the embedded API server over HTTP', () => {
  it('R-6.2 serves the same over a free port of the loopback interface', async () => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
    const created = await call(listening.url + widgets, { method: 'POST', body: JSON.stringify(widget('a')) });
    expect(created.status).toBe(201);
    expect(JSON.parse((await call(`${listening.url}${widgets}/a`)).text).metadata.name).toBe('a');
    expect((await call(`${listening.url}/healthz`)).text).toBe('ok');
  });

  it('R-5.16 refuses a Host that is not the loopback, against rebound names', async () => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    expect((await call(listening.url, { host: 'evil.example.com' })).status).toBe(403);
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:80']) {
      expect((await call(`${listening.url}/version`, { host })).status).toBe(200);
    }
    expect(server.requests.find({ path: '/' })).toEqual([]);
  });

  it('R-5.24 a token of a service account is taken until it expires', async () => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const server = testServer({ clock: () => nowMs });
    listening = await server.listen({ token });
    const path = '/api/v1/namespaces/default/serviceaccounts';
    const account = JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } });
    await call(listening.url + path, { method: 'POST', body: account });
    const lives = JSON.stringify({ spec: { expirationSeconds: 600 } });
    const issued = await call(`${listening.url}${path}/a/token`, { method: 'POST', body: lives });
    const version = `${listening.url}/version`;
    const as = async (given: string) =>
      (await fetch(version, { headers: { authorization: `Bearer ${given}` } })).status;
    const robot: string = JSON.parse(issued.text).status.token;
    nowMs += 599_999;
    expect([await as(robot), await as(`${robot}x`), await as(token)]).toEqual([200, 401, 200]);
    nowMs += 1;
    expect([await as(robot), await as(token)]).toEqual([401, 200]);
  });

  it.each([
    ['with its length', 4 * 1_048_576, true],
    ['without its length', 4 * 1_048_576, false],
    ['of many times the limit', 40 * 1_048_576, false],
  ])('R-5.18 refuses a body of more than 3 MiB, and holds no more of it: %s', async (_, bytes, tellsLength) => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    const answer = await new Promise<HttpAnswer>((resolve, reject) => {
      const headers = {
        authorization,
        'content-type': 'application/json',
        ...(tellsLength && { 'content-length': bytes }),
      };
      const sent = request(listening?.url + widgets, { method: 'POST', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      const chunk = Buffer.alloc(65_536, 'x');
      for (let left = bytes; left > 0; left -= chunk.byteLength) sent.write(chunk.subarray(0, left));
      sent.end();
    });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge', code: 413 });
    expect(server.requests.find({ path: widgets })).toEqual([]);
    expect((await call(`${listening.url}/healthz`)).text).toBe('ok');
  });

  it('R-5.18 counts the limit of a body in bytes', async () => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    const annotated = (note: string) => {
      const metadata = { name: 'a', namespace: 'default', annotations: { note } };
      return JSON.stringify({ ...widget('a'), metadata });
    };
    const tooLarge = annotated('\u0436'.repeat(1_600_000));
    expect(tooLarge.length).toBeLessThan(3 * 1_048_576);
    expect((await call(listening.url + widgets, { method: 'POST', body: tooLarge })).status).toBe(413);
    expect((await call(listening.url + widgets, { method: 'POST', body: annotated('\u0436') })).status).toBe(201);
  });

  it('R-5.7 a client that goes away ends its watch', async () => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    const gone = new AbortController();
    const response = await fetch(`${listening.url}${widgets}?watch=true`, {
      headers: { authorization },
      signal: gone.signal,
    });
    expect(response.status).toBe(200);
    expect(server.openWatches).toBe(1);
    gone.abort();
    await vi.waitFor(() => expect(server.openWatches).toBe(0));
  });

  it('R-5.7 an injected reset breaks the connection', async () => {
    const { server } = await widgetServer();
    listening = await server.listen({ token });
    server.inject({ match: { verb: 'list' }, fault: { dropResponse: true } });
    await expect(call(listening.url + widgets)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
