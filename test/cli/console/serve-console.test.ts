import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedConsole, serveConsole } from '../../../cli/wiring-console.ts';
import { type ConsoleWorld, consoleWorld } from './console-world.ts';
import { type Sent, send, tokenOf } from './request.ts';

const PAGE = { script: 'script', style: 'style', build: 'abc123' };

let made: ConsoleWorld;
let served: ServedConsole;
let own: { host: string; cookie: string; bearer: string };

beforeAll(async () => {
  made = await consoleWorld();
  await made.reconcile('web', {});
  served = await serveConsole(made.source, PAGE);
  const { host, port } = new URL(served.url);
  const token = tokenOf(served.url);
  own = { host, cookie: `evenkeel-console-${port}=${token}`, bearer: `Bearer ${token}` };
});

afterAll(async () => {
  await served.close();
});

const ask = (sent: Sent) => send(served.url, sent);
const fromPage = () => ({
  cookie: own.cookie,
  origin: `http://${own.host}`,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
});

/** A request whose address no client would send. Status 0: the server closed the connection without an answer. */
async function raw(path: string, host: string, more = ''): Promise<{ status: number }> {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) };
}

/** Errors that reached nobody: `evenkeel console` ends at one. */
function strayErrors(): Disposable & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const keep = (error: unknown) => errors.push(error);
  process.on('unhandledRejection', keep);
  return { errors, [Symbol.dispose]: () => void process.off('unhandledRejection', keep) };
}

describe('the server of the console', () => {
  it('R-6.10 the printed address answers 200 with a page and a cookie for this browser alone', async () => {
    const { status, headers, body } = await ask({ path: `/?token=${tokenOf(served.url)}` });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['set-cookie']).toEqual([`${own.cookie}; HttpOnly; SameSite=Strict; Path=/`]);
    expect(body).toContain('<!doctype html>');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('R-6.10 the cookie answers for the page, its files and its API', async () => {
    const { cookie } = own;
    for (const path of ['/', '/main.js', '/main.css', '/api/overview'])
      expect([path, (await ask({ path, headers: { cookie } })).status]).toEqual([path, 200]);
    expect((await ask({ path: '/etc/passwd', headers: { cookie } })).status).toBe(404);
  });

  it.each(['/', '/main.js', '/api/overview', '/api/object?kind=a&namespace=b&name=c', '/nothing'])(
    'R-5.24 the console refuses %s when the token is missing or another one',
    async (path) => {
      expect((await ask({ path })).status).toBe(401);
      const { port } = new URL(served.url);
      const wrong = own.cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      for (const cookie of [wrong, `evenkeel-console-${port}=`, own.cookie.replace(String(port), '1')])
        expect((await ask({ path, headers: { cookie } })).status).toBe(401);
      expect((await ask({ path, headers: { authorization: 'Bearer no' } })).status).toBe(401);
    },
  );

  it('R-5.24 the token counts in the address of the page only, so that no address of the API holds it', async () => {
    expect((await ask({ path: `/api/overview?token=${tokenOf(served.url)}` })).status).toBe(401);
  });

  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1:1',
    'localhost',
    '0.0.0.0',
    '127.1',
  ])('R-5.24 the console refuses the Host "%s" when a name was pointed at this machine', async (host) => {
    const { status } = await ask({ path: '/api/overview', headers: { host, cookie: own.cookie } });
    expect(status).toBe(403);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('R-5.24 the console refuses a request when another page sends it: %j', async (headers) => {
    const sent = { ...fromPage(), ...headers } as Record<string, string>;
    expect((await ask({ path: '/api/overview', headers: { cookie: own.cookie, ...headers } as never })).status).toBe(
      403,
    );
    expect((await ask({ method: 'POST', path: '/api/pause', headers: sent, body: '{}' })).status).toBe(403);
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it.each([
    ['without Origin', ['origin'], 403],
    ['without Sec-Fetch-Site', ['sec-fetch-site'], 403],
    ['as a form would send it', ['content-type'], 415],
    ['without the cookie', ['cookie'], 401],
  ])('R-5.24 the console refuses an action %s', async (_, missing, expected) => {
    const headers = Object.fromEntries(Object.entries(fromPage()).filter(([name]) => !missing.includes(name)));
    expect((await ask({ method: 'POST', path: '/api/pause', headers, body: '{}' })).status).toBe(expected);
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it('R-5.24 an action is not taken when it is asked for by GET', async () => {
    expect((await ask({ path: '/api/pause', headers: { cookie: own.cookie } })).status).toBe(405);
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it('R-5.18 the console refuses a body when it is larger than an action is', async () => {
    const body = JSON.stringify({ queue: 'x'.repeat(20_000) });
    const { status } = await ask({ method: 'POST', path: '/api/redrive', headers: fromPage(), body });
    expect(status).toBe(413);
    expect((await ask({ method: 'POST', path: '/api/redrive', headers: fromPage(), body: '{' })).status).toBe(400);
  });

  it.each(['//', '//[', 'http://[', 'http://a:b/'])(
    'R-5.24 the console refuses %s, which is not an address, and continues',
    async (path) => {
      using stray = strayErrors();
      expect((await raw(path, 'evil.example')).status).toBe(403);
      expect((await raw(path, own.host)).status).toBe(401);
      expect((await raw(path, own.host, `Cookie: ${own.cookie}\r\n`)).status).toBe(400);
      expect((await ask({ path: '/', headers: { cookie: own.cookie } })).status).toBe(200);
      expect(stray.errors).toEqual([]);
    },
  );

  it('R-5.24 the console continues when the upload of an action breaks', async () => {
    using stray = strayErrors();
    const head = Object.entries({ host: own.host, ...fromPage(), 'content-length': '100' });
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
    await new Promise<void>((sent) =>
      socket.write(`POST /api/pause HTTP/1.1\r\n${head.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n{`, () =>
        sent(),
      ),
    );
    // An answered request shows that the server has read the upload so far.
    expect((await ask({ path: '/', headers: { cookie: own.cookie } })).status).toBe(200);
    socket.destroy();
    for (let turn = 0; turn < 3; turn += 1)
      expect((await ask({ path: '/', headers: { cookie: own.cookie } })).status).toBe(200);
    expect(stray.errors).toEqual([]);
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it('R-5.24 the console answers 500 without the text of the error when it fails itself', async () => {
    using stray = strayErrors();
    const broken = new Proxy(PAGE, {
      get(target, name) {
        if (name === 'script') throw new Error('hunter2');
        return Reflect.get(target, name) as unknown;
      },
    });
    const other = await serveConsole(made.source, broken);
    const { status, body } = await send(other.url, {
      path: '/main.js',
      headers: { authorization: `Bearer ${tokenOf(other.url)}` },
    });
    await other.close();
    expect(status).toBe(500);
    expect(body).not.toContain('hunter2');
    expect(stray.errors).toEqual([]);
  });

  it('R-6.10 every answer names the build of its page, so that an older page finds out', async () => {
    const { headers } = await ask({ path: '/api/overview', headers: { authorization: own.bearer } });
    expect(headers['x-evenkeel-build']).toBe(PAGE.build);
  });

  it('R-6.10 an action from the page is taken and recorded with who did it', async () => {
    const paused = await ask({ method: 'POST', path: '/api/pause', headers: fromPage(), body: '{}' });
    expect([paused.status, JSON.parse(paused.body)]).toEqual([
      200,
      { done: 'Cluster test is paused: within seconds no more passes begin.' },
    ]);
    expect(await made.world.store.readCluster('test')).toMatchObject({
      paused: true,
      pauseNote: { by: 'ann@laptop', atMs: made.world.clock.now() },
    });
    expect((await ask({ method: 'POST', path: '/api/resume', headers: fromPage(), body: '{}' })).status).toBe(200);
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });
});
