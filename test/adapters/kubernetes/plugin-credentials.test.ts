import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import {
  type CredentialSource,
  type Credentials,
  CredentialsError,
} from '../../../lib/adapters/kubernetes/credentials/token-source.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { certificateAuthority } from './certificates.ts';
import { serve } from './http-server.ts';
import { Widgets, widget } from './kinds.ts';

const authority = certificateAuthority();
const server = authority.issue('api', ['127.0.0.1']);
const blue = { namespace: 'shop', name: 'blue' };

/** Returns the first credentials until they are refused, then the next. */
function pluginOf(...given: Credentials[]): CredentialSource {
  let used = 0;
  return {
    current: async () => given[used] ?? {},
    refused: () => {
      used += 1;
    },
  };
}

/** A server that asks for a client certificate, and the certificate of each request. */
async function servedBy(allowed: (name: string) => boolean = () => true) {
  const seen: string[] = [];
  const served = await serve(
    (request, response) => {
      const name = String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody');
      seen.push(`${name} ${request.headers.authorization ?? 'no token'}`);
      response.statusCode = allowed(name) ? 200 : 401;
      response.end(JSON.stringify(widget()));
    },
    {
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
  );
  const api = (plugin: CredentialSource, clock = new ManualClock()) => {
    const connection = { server: served.url, certificateAuthority: authority.certificate, plugin };
    const connected = connectCluster({ connection, userAgent: 'evenkeel/test', clock, requestTimeoutMs: 10_000 });
    onTestFinished(() => connected.close());
    return connected.api;
  };
  return { seen, api };
}

describe('R-6.3 the credentials of a plugin', () => {
  const one = authority.issue('one');
  const two = authority.issue('two');

  it.each<[string, Credentials, string]>([
    ['a certificate', { clientCertificate: one }, 'one no token'],
    ['a token', { token: 'tk' }, 'nobody Bearer tk'],
    ['both', { clientCertificate: two, token: 'tk' }, 'two Bearer tk'],
  ])('the server gets the credentials of the plugin: %s', async (_, credentials, shown) => {
    const { seen, api } = await servedBy();
    await api(pluginOf(credentials)).get(Widgets, blue);
    expect(seen).toEqual([shown]);
  });

  it('the credentials are fetched again when the server refuses them, and new connections use another certificate', async () => {
    const { seen, api } = await servedBy((name) => name === 'two');
    const through = api(pluginOf({ clientCertificate: one }, { clientCertificate: two }));
    await through.get(Widgets, blue);
    await through.get(Widgets, blue);
    expect(seen).toEqual(['one no token', 'two no token', 'two no token']);
  });

  it.each([9_000, 30_000, 59_000])(
    'a plugin may take %i ms, however short the time limit of a request is',
    async (pluginMs) => {
      const { seen, api } = await servedBy();
      const clock = new ManualClock();
      const asked = Promise.withResolvers<void>();
      const source: CredentialSource = {
        async current() {
          asked.resolve();
          if (clock.monotonic() < startedAtMs + pluginMs) await clock.sleep(pluginMs);
          return { token: 'tk' };
        },
        refused: () => undefined,
      };
      const startedAtMs = clock.monotonic();
      const read = api(source, clock).get(Widgets, blue);
      await asked.promise;
      await clock.advance(pluginMs);
      await expect(read).resolves.toMatchObject({ kind: 'Widget' });
      expect(seen).toEqual(['nobody Bearer tk']);
    },
  );

  it('a request reports missing credentials, and is not sent', async () => {
    const { seen, api } = await servedBy();
    const failing: CredentialSource = {
      current: async () => Promise.reject(new CredentialsError('the credential plugin x exited with code 1.')),
      refused: () => undefined,
    };
    await expect(api(failing).get(Widgets, blue)).rejects.toMatchObject({
      reason: 'Unauthorized',
      message: expect.stringContaining('nothing was sent, since the credential plugin x exited with code 1.'),
    });
    expect(seen).toEqual([]);
  });

  it('a request does not wait for credentials any more when the caller aborts', async () => {
    const { api } = await servedBy();
    const hanging: CredentialSource = { current: () => new Promise(() => undefined), refused: () => undefined };
    const gone = new AbortController();
    const read = api(hanging).get(Widgets, blue, { signal: gone.signal });
    gone.abort();
    await expect(read).rejects.toMatchObject({ reason: 'Timeout', message: expect.stringContaining('aborted') });
  });
});
