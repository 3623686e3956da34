import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusalOf, tokenCheck } from '../lib/adapters/loopback/request-guard.ts';
import { newToken } from '../lib/adapters/system/new-token.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { type ApiAnswer, ConsoleApi } from './console/answer-request.ts';
import type { ConsoleSource } from './console/console-source.ts';
import type { PageFiles } from './console/page-files.ts';
import { BUILD_HEADER, pageHtml, SAFE_HEADERS } from './console/page-html.ts';
import { describeUnforeseen } from './wiring-terminal.ts';

export interface ServedConsole {
  /** The URL includes the token. Opening it signs the browser in. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16_384;
const NOT_SIGNED_IN =
  'This browser is not signed in to this console. Open the link that `evenkeel start` or `evenkeel console` printed last.';

/**
 * Serves the console on 127.0.0.1, to the browser of this user. The first request has the token in its
 * address, and later ones in a cookie. The token is used only for the console, because the browser sends a cookie of
 * 127.0.0.1 to each port.
 * @param port 0 for a free one.
 * @throws EvenkeelError PORT_IN_USE, or CANNOT_LISTEN.
 */
export async function serveConsole(source: ConsoleSource, page: PageFiles, port = 0): Promise<ServedConsole> {
  const token = newToken();
  const isToken = tokenCheck(token);
  const api = new ConsoleApi(source, describeUnforeseen);
  let own = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = 'text/plain; charset=utf-8';
    const foreign = refusalOf(request.headers) ?? hostRefusal(request, own);
    if (foreign !== undefined) return send(response, foreign.status, text, `${foreign.message}\n`);
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const given = url?.pathname === '/' ? url.searchParams.get('token') : null;
    if (!isToken(credentialOf(request, given, own))) return send(response, 401, text, `${NOT_SIGNED_IN}\n`);
    if (url === null) return send(response, 400, text, 'the request has no address that can be read\n');
    if (!url.pathname.startsWith('/api/')) return sendPage(request, response, url.pathname, page, given, own);
    const { status, body } = await answerApi(api, request, url);
    send(response, status, 'application/json', JSON.stringify(body));
  };
  const server = createServer(async (request, response) => {
    // Also with a refusal: a page of an older process has a token that is refused, and needs the header to say why.
    response.setHeader(BUILD_HEADER, page.build);
    try {
      await answer(request, response);
    } catch (error) {
      // An uncaught error would end the process. The text of this one may quote anything.
      if (response.headersSent) response.destroy();
      else send(response, 500, 'text/plain; charset=utf-8', `The console failed: ${describeUnforeseen(error)}.\n`);
    }
  });
  own = await listening(server, port);
  return {
    url: `http://127.0.0.1:${own}/?token=${token}`,
    close: () => {
      api.close();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      return closed.promise;
    },
  };
}

/** The credential as an Authorization header: that of the request, or one made from the address or the cookie. */
function credentialOf({ headers }: IncomingMessage, given: string | null, port: number): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization;
  if (given !== null) return `Bearer ${given}`;
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  const start = `${cookieName(port)}=`;
  const cookie = cookies.find((text) => text.startsWith(start));
  return cookie === undefined ? undefined : `Bearer ${cookie.slice(start.length)}`;
}

/** The name of the cookie has the port, so that several consoles of a user have their own cookies. */
function cookieName(port: number): string {
  return `evenkeel-console-${port}`;
}

/** Accepts only names with this port. */
function hostRefusal({ headers }: IncomingMessage, port: number) {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  if (hosts.includes((headers.host ?? '').toLowerCase())) return undefined;
  return { status: 403, message: 'this server answers only requests for its own address' };
}

async function answerApi(api: ConsoleApi, request: IncomingMessage, url: URL): Promise<ApiAnswer> {
  const { method = 'GET', headers } = request;
  const path = url.pathname.slice('/api/'.length);
  if (method === 'GET') return await api.answer({ method, path, query: url.searchParams, body: undefined });
  const refused = (status: number, error: string) => ({ status, body: { error } });
  // A page of the console always sends both. A form or a link of another page cannot.
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin' && headers.origin === `http://${headers.host}`;
  const isProgram = headers.authorization !== undefined && headers.origin === undefined;
  if (!isOwnPage && !isProgram) return refused(403, 'An action is taken from the page of this console only.');
  if (!/^application\/json(?:;|$)/.test(headers['content-type'] ?? ''))
    return refused(415, 'An action is sent as application/json.');
  let text: string | undefined;
  try {
    text = await bodyOf(request);
  } catch {
    return refused(400, 'The body ended too early.');
  }
  if (text === undefined) return refused(413, `An action takes ${MAX_BODY_BYTES} bytes at most.`);
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    return refused(400, 'The body is not JSON.');
  }
  return await api.answer({ method, path, query: url.searchParams, body });
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendPage(
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  path: string,
  { script, style, build }: PageFiles,
  given: string | null,
  port: number,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    send(response, 405, 'text/plain', 'only GET is answered here\n');
    return;
  }
  if (given !== null)
    response.setHeader('set-cookie', `${cookieName(port)}=${given}; HttpOnly; SameSite=Strict; Path=/`);
  switch (path) {
    case '/':
      send(response, 200, 'text/html; charset=utf-8', pageHtml(build));
      break;
    case '/main.js':
      send(response, 200, 'text/javascript; charset=utf-8', script);
      break;
    case '/main.css':
      send(response, 200, 'text/css; charset=utf-8', style);
      break;
    default:
      send(response, 404, 'text/plain', 'there is nothing at this address\n');
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...SAFE_HEADERS, 'content-type': type }).end(body);
}

async function listening(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  const bound = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => bound.reject(listenError(error, port)));
  server.listen(port, '127.0.0.1', () => bound.resolve());
  await bound.promise;
  return (server.address() as AddressInfo).port;
}

function listenError(error: NodeJS.ErrnoException, port: number): EvenkeelError {
  if (error.code === 'EADDRINUSE')
    return new EvenkeelError(
      'PORT_IN_USE',
      `port ${port} of 127.0.0.1, wanted for the console, is in use. Name another one, or none for a free one.`,
      { cause: error, data: { port } },
    );
  return new EvenkeelError('CANNOT_LISTEN', `the console cannot be served on port ${port} (${error.code}).`, {
    cause: error,
    data: { port },
  });
}
