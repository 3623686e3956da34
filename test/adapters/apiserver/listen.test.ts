import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Listening } from '../../../lib/adapters/apiserver/listen.ts';
import { widget, widgetServer, widgets } from './api-client.ts';

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
    listening = await server.listen();
    expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
    const created = await call(listening.url + widgets, { method: 'POST', body: JSON.stringify(widget('a')) });
    expect(created.status).toBe(201);
    expect(JSON.parse((await call(`${listening.url}${widgets}/a`)).text).metadata.name).toBe('a');
    expect((await call(`${listening.url}/healthz`)).text).toBe('ok');
  });

  it('R-5.16 refuses a Host that is not the loopback, against rebound names', async () => {
    const { server } = await widgetServer();
    listening = await server.listen();
    expect((await call(listening.url, { host: 'evil.example.com' })).status).toBe(403);
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:80']) {
      expect((await call(`${listening.url}/version`, { host })).status).toBe(200);
    }
    expect(server.requests.find({ path: '/' })).toEqual([]);
  });

  it('R-5.7 a client that goes away ends its watch', async () => {
    const { server } = await widgetServer();
    listening = await server.listen();
    const gone = new AbortController();
    const response = await fetch(`${listening.url}${widgets}?watch=true`, { signal: gone.signal });
    expect(response.status).toBe(200);
    expect(server.openWatches).toBe(1);
    gone.abort();
    await vi.waitFor(() => expect(server.openWatches).toBe(0));
  });

  it('R-5.7 an injected reset breaks the connection', async () => {
    const { server } = await widgetServer();
    listening = await server.listen();
    server.inject({ match: { verb: 'list' }, fault: { dropResponse: true } });
    await expect(call(listening.url + widgets)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
