import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../lib/adapters/kubernetes/transport.ts';
import { MAX_JSON_DEPTH } from '../../lib/apiserver/json-depth.ts';
import { ApiClient, testServer } from './api-client.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const MAPS = '/api/v1/namespaces/default/configmaps';
const TOKENS = '/api/v1/namespaces/default/serviceaccounts/s/token';

const maps = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const inField = (field: string, inner: string, fields = '') => `{${fields}"${field}":${inner}}`;
const review = (inner: string) =>
  inField('spec', inner, '"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",');
const patchType = (type: string) => ({ 'content-type': `application/${type}` });

type Sent = [string, TransportRequest['method'], string, (inner: string) => string, Record<string, string>?];
const REQUESTS: Sent[] = [
  ['a review', 'POST', REVIEWS, review],
  ['a create', 'POST', MAPS, (inner) => inField('data', inner, '"metadata":{"name":"new"},')],
  ['a create with metadata', 'POST', MAPS, (inner) => inField('metadata', inner)],
  ['an update', 'PUT', `${MAPS}/c`, (inner) => inField('data', inner, '"metadata":{"name":"c"},')],
  ['a merge patch', 'PATCH', `${MAPS}/c`, (inner) => inField('data', inner), patchType('merge-patch+json')],
  [
    'a strategic patch',
    'PATCH',
    `${MAPS}/c`,
    (inner) => inField('data', inner),
    patchType('strategic-merge-patch+json'),
  ],
  [
    'an apply',
    'PATCH',
    `${MAPS}/c?fieldManager=m`,
    (inner) => inField('data', inner, '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},'),
    patchType('apply-patch+yaml'),
  ],
  [
    'an apply in YAML',
    'PATCH',
    `${MAPS}/c?fieldManager=m`,
    (inner) => `data: ${inner}\n`,
    patchType('apply-patch+yaml'),
  ],
  [
    'a JSON patch',
    'PATCH',
    `${MAPS}/c`,
    (inner) => `[{"op":"add","path":"/data","value":${inner}}]`,
    patchType('json-patch+json'),
  ],
  ['the options of a delete', 'DELETE', `${MAPS}/none`, (inner) => inField('preconditions', inner)],
  ['a token request', 'POST', TOKENS, (inner) => inField('spec', inner)],
];

async function client(): Promise<ApiClient> {
  const sender = new ApiClient(testServer());
  await sender.request('POST', MAPS, { metadata: { name: 'c' } });
  await sender.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 's' } });
  return sender;
}

describe('deeply nested bodies', () => {
  describe.each(REQUESTS)('%s', (_, method, path, body, headers = {}) => {
    it.each([
      ['a map more than is allowed', maps(MAX_JSON_DEPTH + 1)],
      ['100,000 maps', maps(100_000)],
      ['100,000 lists', lists(100_000)],
      ['20,000 maps with an integer of 64 bits', maps(20_000).replace(':1}', ':9007199254740993}')],
    ])('R-5.18 is answered with 400 when it holds %s', async (_title, inner) => {
      const answer = await (await client()).request(method, path, body(inner), headers);
      expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      expect(answer.body.message).toContain('exceeded max depth');
      expect(answer.body.message).not.toContain('    at ');
    });

    it('R-5.18 is answered without a fault of the server when it is nested as deeply as is allowed', async () => {
      for (const nested of [maps, lists]) {
        const answer = await (await client()).request(method, path, body(nested(MAX_JSON_DEPTH - 3)), headers);
        expect(JSON.stringify(answer.body)).not.toMatch(/call stack|exceeded max depth/);
      }
    });
  });

  it('R-5.18 a JSON patch that nests the object in itself is answered with 400', async () => {
    const grow = Array.from({ length: 1_200 }, (_, n) => ({ op: 'add', path: `/data${'/a'.repeat(n)}`, value: {} }));
    const double = Array.from({ length: 14 }, (_, n) => ({
      op: 'copy',
      from: '',
      path: `/x${'/x'.repeat(2 ** n - 1)}`,
    }));
    for (const patch of [grow, double, [...grow, ...double]]) {
      const answer = await (await client()).request('PATCH', `${MAPS}/c`, patch, patchType('json-patch+json'));
      expect(answer).toMatchObject({ status: 400, body: { message: 'error decoding patch: exceeded max depth' } });
    }
  });
});

describe('bodies of YAML with many keys', () => {
  const APPLY = `${MAPS}/wide?fieldManager=m`;
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `  k${index}: v\n`).join('');
  const map = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wide}\ndata:\n${data}`;

  it('R-5.24 30,000 keys are taken', async () => {
    const answer = await (await client()).request('PATCH', APPLY, map(keys(30_000)), patchType('apply-patch+yaml'));
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body.data).length).toBe(30_000);
  });

  it.each([
    ['the last of 30,000 stands twice', `${keys(30_000)}  k29999: w\n`, 30_005, 'k29999'],
    ['one stands twice in a flow', '  {a: x, b: y, a: z}', 5, 'a'],
    ['one stands twice in another spelling', "  9007199254740993: x\n  a: y\n  'a': z\n", 7, 'a'],
  ])('R-5.24 the answer is 400 and names line and key when %s', async (_, data, line, key) => {
    const answer = await (await client()).request('PATCH', APPLY, map(data), patchType('apply-patch+yaml'));
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(answer.body.message).toContain(`line ${line}: key "${key}" already set in map`);
  });
});
