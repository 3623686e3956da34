import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { certificateAuthority } from './certificates.ts';
import { serve } from './http-server.ts';
import { Widgets, widget } from './kinds.ts';

const authority = certificateAuthority();
const server = authority.issue('api', ['127.0.0.1', 'api.test']);
const client = authority.issue('evenkeel');
const blue = { namespace: 'shop', name: 'blue' };

function apiOf(connection: ClusterConnection) {
  const connected = connectCluster({ connection, userAgent: 'evenkeel/test', clock: new ManualClock() });
  onTestFinished(() => connected.close());
  return connected.api;
}

function serveWidgets(options: { requestCert?: boolean; identity?: typeof server } = {}) {
  const { certificate: cert, key } = options.identity ?? server;
  const { requestCert = false } = options;
  return serve((_, response) => response.end(JSON.stringify(widget())), {
    cert,
    key,
    ca: authority.certificate,
    requestCert,
    rejectUnauthorized: requestCert,
  });
}

describe('R-5.16 a connection over TLS', () => {
  it('the connection is kept for many requests to a server of the given authority', async () => {
    const { url, connections } = await serveWidgets();
    const api = apiOf({ server: url, certificateAuthority: authority.certificate });
    for (let count = 0; count < 10; count += 1) await api.get(Widgets, blue);
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('the connection is refused when another authority signed the certificate', async () => {
    const { url } = await serveWidgets();
    const other = certificateAuthority('Other CA').certificate;
    const refused = { reason: 'Unreachable', message: expect.stringMatching(/CERT|VERIFY|ISSUER|SIGNATURE/) };
    await expect(apiOf({ server: url, certificateAuthority: other }).get(Widgets, blue)).rejects.toMatchObject(refused);
    await expect(apiOf({ server: url }).get(Widgets, blue)).rejects.toMatchObject(refused);
  });

  it('the connection checks the name in the certificate, or the given one', async () => {
    const { url } = await serveWidgets({ identity: authority.issue('api', ['api.test']) });
    const connection = { server: url, certificateAuthority: authority.certificate };
    await expect(apiOf(connection).get(Widgets, blue)).rejects.toMatchObject({
      reason: 'Unreachable',
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
    const named = { ...connection, tlsServerName: 'api.test' };
    await expect(apiOf(named).get(Widgets, blue)).resolves.toMatchObject({ kind: 'Widget' });
  });

  it('the connection skips the check only when told to', async () => {
    const { url } = await serveWidgets();
    await expect(apiOf({ server: url, insecureSkipTlsVerify: true }).get(Widgets, blue)).resolves.toBeDefined();
  });

  it('the connection shows the client certificate', async () => {
    const { url, requests } = await serveWidgets({ requestCert: true });
    const connection = { server: url, certificateAuthority: authority.certificate };
    await apiOf({ ...connection, clientCertificate: client }).get(Widgets, blue);
    const socket = requests[0]?.socket as TLSSocket;
    expect(socket.getPeerCertificate().subject.CN).toBe('evenkeel');
    await expect(apiOf(connection).get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
  });

  it('the connection refuses a name that leads to a local address, if it must', async () => {
    const { port, connections } = await serveWidgets();
    const connection = { server: `https://localhost:${port}`, certificateAuthority: authority.certificate };
    const refused = { reason: 'Unreachable', message: expect.stringMatching(/localhost resolves to .* a loopback/) };
    await expect(apiOf({ ...connection, refuseLocalAddresses: true }).get(Widgets, blue)).rejects.toMatchObject(
      refused,
    );
    expect(connections()).toBe(0);
  });
});
