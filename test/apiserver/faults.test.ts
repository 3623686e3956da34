import { describe, expect, it } from 'vitest';
import { widget, widgetServer, widgets } from './api-client.ts';

describe('faults of the embedded API server', () => {
  it('R-5.14 answers a status instead of the request, so many times', async () => {
    const { server, client } = await widgetServer();
    const fault = server.inject({
      match: { verb: 'create', resource: 'widgets' },
      fault: { status: 429, retryAfterSeconds: 7 },
      times: 1,
    });
    const limited = await client.post(widgets, widget('a'));
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('7');
    expect(limited.body).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 7 }, code: 429 });
    expect((await client.post(widgets, widget('a'))).status).toBe(201);
    expect(fault.hits).toBe(1);
  });

  it('R-5.7 a watch can be refused with HTTP 410 at its connect', async () => {
    const { server, client } = await widgetServer();
    const fault = server.inject({ match: ({ verb }) => verb === 'watch', fault: { status: 410 } });
    expect((await client.get(`${widgets}?watch=true`)).body).toMatchObject({ code: 410, reason: 'Expired' });
    fault.remove();
    const watching = await client.watch(widgets);
    expect(watching.status).toBe(200);
    watching.close();
  });

  it.each([
    ['the same request', { verb: 'get', resource: 'secrets', namespace: 'default', name: 'db' }, false],
    ['another verb', { verb: 'list', resource: 'secrets', namespace: 'default' }, true],
    ['another group', { verb: 'get', group: 'apps', resource: 'secrets', namespace: 'default', name: 'db' }, true],
    ['another namespace', { verb: 'get', resource: 'secrets', namespace: 'other', name: 'db' }, true],
  ])('R-5.12 a review of a denied request says so when it asks for %s', async (_, resourceAttributes, allowed) => {
    const { server, client } = await widgetServer();
    const permit = server.deny({ verb: 'get', group: '', resource: 'secrets', namespace: 'default', name: 'db' });
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    };
    const ask = () => client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
    expect((await ask()).body.status.allowed).toBe(allowed);
    permit();
    expect((await ask()).body.status.allowed).toBe(true);
  });

  it('R-2.3 a denial is Forbidden in the words of the real server', async () => {
    const { server, client } = await widgetServer();
    const allow = server.deny({ verb: 'get', resource: 'secrets', namespace: 'default', name: 'db' });
    const denied = await client.get('/api/v1/namespaces/default/secrets/db');
    expect(denied.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'secrets "db" is forbidden: User "embedded" cannot get resource "secrets" in API group "" in the namespace "default"',
      reason: 'Forbidden',
      details: { name: 'db', kind: 'secrets' },
      code: 403,
    });
    expect((await client.get('/api/v1/namespaces/default/secrets/other')).status).toBe(404);
    allow();
    expect((await client.get('/api/v1/namespaces/default/secrets/db')).status).toBe(404);
  });

  it('R-5.6 a dropped answer leaves the write applied', async () => {
    const { server, client } = await widgetServer();
    server.inject({ match: { verb: 'create' }, fault: { dropResponse: true }, times: 1 });
    await expect(client.post(widgets, widget('a'))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await client.get(`${widgets}/a`)).status).toBe(200);
  });

  it('R-5.7 a body can break off after some bytes', async () => {
    const { server, client } = await widgetServer();
    server.inject({ match: { verb: 'watch' }, fault: { resetAfterBytes: 40 }, times: 1 });
    const watching = await client.watch(widgets);
    await client.post(widgets, widget('a'));
    await expect(watching.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    server.inject({ match: { verb: 'list' }, fault: { resetAfterBytes: 40 }, times: 1 });
    await expect(client.get(widgets)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('R-5.7 a hanging request ends only when the client gives up', async () => {
    const { server } = await widgetServer();
    server.inject({ match: { verb: 'get' }, fault: { hang: true } });
    const gone = new AbortController();
    const sent = server.send({ method: 'GET', path: `${widgets}/a`, headers: {}, signal: gone.signal });
    gone.abort(new Error('given up'));
    await expect(sent).rejects.toThrow('given up');
  });

  it('R-1.8 a delayed request is carried out when the delay is over, not before', async () => {
    const { server, client } = await widgetServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.inject({ match: { verb: 'create' }, fault: { delay: promise }, times: 1 });
    const sent = client.post(widgets, widget('a'));
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
    resolve();
    expect((await sent).status).toBe(201);
  });

  it('R-1.3 requests are counted by their fields', async () => {
    const { server, client } = await widgetServer();
    server.requests.clear();
    await client.post(widgets, widget('a'));
    await client.merge(`${widgets}/a/status`, { status: { ready: true } });
    await client.get(`${widgets}/a`);
    await client.get('/apis');
    expect(server.requests.total).toBe(4);
    expect(server.requests.writes()).toHaveLength(2);
    expect(server.requests.find({ subresource: 'status' })).toEqual([
      {
        verb: 'patch',
        group: 'example.com',
        version: 'v1',
        resource: 'widgets',
        subresource: 'status',
        namespace: 'default',
        name: 'a',
        path: `${widgets}/a/status`,
        contentType: 'application/merge-patch+json',
        userAgent: 'test/1.0',
        status: 200,
      },
    ]);
  });
});
