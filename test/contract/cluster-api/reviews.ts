import { expect, it } from 'vitest';
import type { JsonValue } from '../../../lib/core/kube-object.ts';
import { area } from './world.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const review = (kind: string, spec: JsonValue) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
const accessReview = (spec: JsonValue) => review('SelfSubjectAccessReview', spec);

export const describeReviews = area('R-5.12 a review of what one may', (world) => {
  it.each<Record<string, JsonValue>>([
    { resourceAttributes: { verb: 'create', resource: 'pods', namespace: 'default' } },
    { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
    { resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'default', name: 'a' } },
    { nonResourceAttributes: { verb: 'get', path: '/healthz' } },
  ])('of %j allows it to who may everything, and is not stored', async (spec) => {
    const path = `${authorization}/selfsubjectaccessreviews`;
    const { status, json } = await world().raw('POST', path, accessReview(spec));
    expect(status).toBe(201);
    expect(json).toMatchObject({ kind: 'SelfSubjectAccessReview', spec, status: { allowed: true } });
    expect((await world().raw('GET', path)).status).toBe(405);
    expect((await world().raw('GET', `${path}/a`)).status).toBe(404);
  });

  it.each<Record<string, JsonValue>>([
    {},
    { resourceAttributes: { verb: 'get', resource: 'pods' }, nonResourceAttributes: { verb: 'get', path: '/' } },
    { nonResourceAttributes: null },
  ])('of %j is refused, since it asks nothing or two things', async (spec) => {
    const answer = await world().raw('POST', `${authorization}/selfsubjectaccessreviews`, accessReview(spec));
    expect(answer).toMatchObject({ status: 422, json: { reason: 'Invalid' } });
  });

  it('of all rules lists that everything is allowed', async () => {
    const path = `${authorization}/selfsubjectrulesreviews`;
    const { status, json } = await world().raw(
      'POST',
      path,
      review('SelfSubjectRulesReview', { namespace: 'default' }),
    );
    expect(status).toBe(201);
    expect(json.status).toMatchObject({ incomplete: false });
    expect(json.status.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    expect(json.status.nonResourceRules).toContainEqual({ verbs: ['*'], nonResourceURLs: ['*'] });
    const nowhere = await world().raw('POST', path, review('SelfSubjectRulesReview', {}));
    expect(nowhere).toMatchObject({ status: 400, json: { reason: 'BadRequest' } });
  });

  it('of oneself names the user', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status, json } = await world().raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', body);
    expect(status).toBe(201);
    expect(json.status.userInfo).toMatchObject({ username: expect.any(String) });
    expect(json.status.userInfo.groups).toContain('system:authenticated');
  });
});

export const describeTokenRequests = area('R-5.12 a request for a token of a service account', (world) => {
  async function serviceAccount(): Promise<{ namespace: string; path: string; uid: string }> {
    const namespace = await world().namespace();
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'relay' } };
    const { json } = await world().raw('POST', accounts, body);
    return { namespace, path: `${accounts}/relay/token`, uid: json.metadata.uid };
  }

  it('is answered with a token, which the server then takes', async () => {
    const { namespace, path, uid } = await serviceAccount();
    const { status, json } = await world().raw('POST', path, { spec: { expirationSeconds: 7_200 } });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'relay', namespace, uid },
      spec: { expirationSeconds: 7_200, boundObjectRef: null },
    });
    const issuedAtMs = Date.parse(json.metadata.creationTimestamp);
    expect(Date.parse(json.status.expirationTimestamp) - issuedAtMs).toBe(7_200_000);
    const claims = JSON.parse(Buffer.from(json.status.token.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ sub: `system:serviceaccount:${namespace}:relay`, aud: json.spec.audiences });

    const { withToken } = world().target;
    if (withToken === undefined) return;
    const transport = withToken(json.status.token);
    const answer = await transport.send({ method: 'GET', path: '/apis', headers: { accept: 'application/json' } });
    expect(answer.status).toBe(200);
    await answer.text();
    await transport.close();
  });

  it('has an hour and the audiences of the server when it names none', async () => {
    const { path } = await serviceAccount();
    const { json } = await world().raw('POST', path, { spec: {} });
    expect(json.spec).toMatchObject({ expirationSeconds: 3_600, audiences: [expect.any(String)] });
  });

  it('for another audience is answered with a token that the server does not take', async () => {
    const { path } = await serviceAccount();
    const { json } = await world().raw('POST', path, { spec: { audiences: ['vault'] } });
    expect(json.spec.audiences).toEqual(['vault']);
    const transport = world().target.withToken?.(json.status.token);
    if (transport === undefined) return;
    const answer = await transport.send({ method: 'GET', path: '/apis', headers: { accept: 'application/json' } });
    expect(answer.status).toBe(401);
    await answer.text();
    await transport.close();
  });

  it.each([
    ['its life is shorter than ten minutes', { spec: { expirationSeconds: 599 } }, 422],
    ['its life is longer than 2^32 seconds', { spec: { expirationSeconds: 4_294_967_297 } }, 422],
    ['it names another account', { metadata: { name: 'other' }, spec: {} }, 422],
    ['it names another namespace', { metadata: { namespace: 'other' }, spec: {} }, 400],
    ['it names another UID', { metadata: { uid: 'other' }, spec: {} }, 409],
    ['it is of another kind', { kind: 'Secret', apiVersion: 'v1' }, 400],
  ])('is refused when %s', async (_, body, status) => {
    const { path } = await serviceAccount();
    expect((await world().raw('POST', path, body)).status).toBe(status);
  });

  it('is refused when the account is absent, and by every other verb', async () => {
    const { path } = await serviceAccount();
    const absent = await world().raw('POST', path.replace('relay', 'absent'), { spec: {} });
    expect(absent).toMatchObject({ status: 404, json: { details: { kind: 'serviceaccounts', name: 'absent' } } });
    expect((await world().raw('GET', path)).status).toBe(405);
  });
});
