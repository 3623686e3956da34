import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { listenStandIn } from '../../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { serveMetrics } from '../../../lib/adapters/observability/metrics-endpoint.ts';
import { PrometheusMetrics } from '../../../lib/adapters/observability/prometheus-metrics.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { testServer } from '../../apiserver/api-client.ts';
import { startEmbeddedQueue } from '../../support/emulators/embedded-queue.ts';
import { startEmbeddedTable } from '../../support/emulators/embedded-table.ts';

const TOKEN = 'the-token-of-this-process';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const signed = (accessKey: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20260101/eu-central-1/sqs/aws4_request, SignedHeaders=host, Signature=0`,
  'x-amz-date': '20260101T000000Z',
});
const basic = (secret: string) => ({
  authorization: `Basic ${Buffer.from(`evenkeel:${secret}`).toString('base64')}`,
  'content-type': 'application/x-www-form-urlencoded',
});

interface Listener {
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers: (credential: string) => Record<string, string>;
}

async function identity(): Promise<Listener> {
  const credentials = { realm: 'master', clientId: 'evenkeel', clientSecret: TOKEN };
  return await listenStandIn(
    new KeycloakStandIn({ clock: new SystemClock(), newId: () => 'id', credentials, realms: [] }),
  );
}

async function queue(): Promise<Listener> {
  const { endpoint, close } = await startEmbeddedQueue({ token: TOKEN });
  return { url: endpoint, close };
}

async function table(): Promise<Listener> {
  const { endpoint, close } = await startEmbeddedTable({ token: TOKEN });
  return { url: endpoint, close };
}

const aws = (target: string, type: string) => (accessKey: string) => ({
  ...signed(accessKey),
  'content-type': type,
  'x-amz-target': target,
});

/** Everything that listens on this machine, and a request that each accepts with the credential. */
const LISTENERS: readonly (readonly [string, () => Promise<Listener>, Asked])[] = [
  [
    'the API server',
    async () => await testServer().listen({ token: TOKEN }),
    { method: 'GET', path: '/api/v1/namespaces/default', headers: bearer },
  ],
  [
    'the metrics',
    async () => await serveMetrics(new PrometheusMetrics(), 0, TOKEN),
    { method: 'GET', path: '/metrics', headers: bearer },
  ],
  [
    'the queue',
    queue,
    { method: 'POST', path: '/', body: '{}', headers: aws('AmazonSQS.ListQueues', 'application/x-amz-json-1.0') },
  ],
  [
    'the table',
    table,
    {
      method: 'POST',
      path: '/',
      body: '{}',
      headers: aws('DynamoDB_20120810.ListTables', 'application/x-amz-json-1.0'),
    },
  ],
  [
    'the identity server',
    identity,
    {
      method: 'POST',
      path: '/realms/master/protocol/openid-connect/token',
      body: 'grant_type=client_credentials',
      headers: basic,
    },
  ],
];

describe.each(LISTENERS)('%s on 127.0.0.1', (_, start, { method, path, body, headers }) => {
  let listener: Listener;
  let origin: string;
  beforeAll(async () => {
    listener = await start();
    origin = new URL(listener.url).origin;
  });
  afterAll(() => listener.close());

  async function ask(given: Record<string, string>, verb = method): Promise<{ status: number; opens: boolean }> {
    return await new Promise((resolve, reject) => {
      const sent = request(origin + path, { method: verb, headers: given }, (response) => {
        const opens = response.headers['access-control-allow-origin'] !== undefined;
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, opens }));
      });
      sent.once('error', reject).end(verb === 'OPTIONS' ? undefined : body);
    });
  }

  it('R-5.24 a listener answers a request when it has the credential', async () => {
    expect(await ask(headers(TOKEN))).toMatchObject({ status: 200 });
  });

  it.each(['', 'local', `${TOKEN}.`])(
    'R-5.24 a listener refuses a request when its credential is "%s"',
    async (other) => {
      expect(await ask(headers(other))).toMatchObject({ status: 401 });
    },
  );

  it('R-5.24 a listener refuses a request when it has no credential', async () => {
    const { authorization: _, ...without } = headers(TOKEN);
    expect(await ask(without)).toMatchObject({ status: 401 });
  });

  it.each([
    ['its Host is a foreign name', { host: 'evil.example' }],
    ['its Host is a name that resolves to the loopback', { host: 'localtest.me:80' }],
    ['its Host begins with the loopback', { host: '127.0.0.1.nip.io' }],
    ['it comes from a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['it comes from a page without an origin', { origin: 'null' }],
    ['it comes from a page of another port', { 'sec-fetch-site': 'same-site' }],
    ['a page of another site loads it as an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('R-5.24 a listener refuses a request with the right credential when %s', async (__, hostile) => {
    expect(await ask({ ...headers(TOKEN), ...hostile })).toEqual({ status: 403, opens: false });
  });

  it('R-5.24 a listener grants a page nothing when the page sends a preflight request', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    expect(await ask(preflight, 'OPTIONS')).toEqual({ status: 403, opens: false });
  });
});
