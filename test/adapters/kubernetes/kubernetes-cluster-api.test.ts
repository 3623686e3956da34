import { describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FakeTransport, failure, type Scripted, silence } from './fake-transport.ts';
import { Planets, status, Widgets, widget } from './kinds.ts';

const blue = { namespace: 'shop', name: 'blue' };
const page = (fields: Record<string, unknown> = {}) => ({
  apiVersion: 'test.evenkeel.dev/v1',
  kind: 'WidgetList',
  metadata: { resourceVersion: '9' },
  items: [],
  ...fields,
});

function setup(...script: Scripted[]) {
  const transport = new FakeTransport(...script);
  const clock = new ManualClock();
  return { transport, clock, api: new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel/test' }) };
}

describe('the requests of a cluster API', () => {
  it('get sends GET for one object', async () => {
    const { api, transport } = setup({ body: widget({ spec: { size: 1 } }) });
    await expect(api.get(Widgets, blue)).resolves.toEqual(widget({ spec: { size: 1 } }));
    expect(transport.requests).toMatchObject([
      {
        method: 'GET',
        path: '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets/blue',
        headers: { accept: 'application/json', 'user-agent': 'evenkeel/test' },
      },
    ]);
    expect(transport.requests[0]).not.toHaveProperty('body');
  });

  it('R-5.7 a request for metadata asks for metadata only, and keeps nothing else of the answer', async () => {
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: widget().metadata };
    const { api, transport } = setup(
      { body: { ...partial, data: { password: 'x' } } },
      { body: page({ kind: 'PartialObjectMetadataList', items: [{ ...partial, data: {} }] }) },
    );
    await expect(api.get(Widgets, blue, { metadataOnly: true })).resolves.toEqual(widget());
    const { items } = await api.list(Widgets, { metadataOnly: true });
    expect(items).toEqual([widget()]);
    expect(transport.requests.map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ]);
  });

  it('list sends LIST in pages of 500, or of the given size', async () => {
    const { api, transport } = setup({ body: page() }, { body: page() });
    await api.list(Widgets);
    await api.list(Widgets, {
      namespace: 'shop',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=blue',
      limit: 2,
      continueToken: 'next/=',
    });
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/apis/test.evenkeel.dev/v1/widgets?limit=500',
      '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets?labelSelector=a%3Db&fieldSelector=metadata.name%3Dblue&limit=2&continue=next%2F%3D',
    ]);
  });

  it('list gives items the type that built-in lists leave out, and a continue token only if there is one', async () => {
    const { metadata } = widget();
    const { api } = setup(
      {
        body: {
          kind: 'SecretList',
          metadata: { resourceVersion: '9', continue: 'next' },
          items: [{ metadata, data: {} }],
        },
      },
      { body: page({ metadata: { resourceVersion: '9', continue: '' }, items: null }) },
    );
    await expect(api.list(Secrets)).resolves.toEqual({
      bytes: expect.any(Number),
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata, data: {} }],
      resourceVersion: '9',
      continueToken: 'next',
    });
    await expect(api.list(Widgets)).resolves.toStrictEqual({
      bytes: expect.any(Number),
      items: [],
      resourceVersion: '9',
    });
  });

  it('R-1.13 create sends POST to the collection with a field manager', async () => {
    const { api, transport } = setup({ status: 201, body: widget() });
    const { apiVersion, kind } = widget();
    await api.create(Widgets, { apiVersion, kind, metadata: blue, spec: { size: 2 } }, { fieldManager: 'evenkeel-x' });
    expect(transport.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets?fieldManager=evenkeel-x',
        headers: { 'content-type': 'application/json' },
      },
    ]);
    expect(transport.sentJson()).toEqual({ apiVersion, kind, metadata: blue, spec: { size: 2 } });
  });

  it.each([
    [{ type: 'merge' as const, patch: { spec: { size: null } } }, 'application/merge-patch+json', ''],
    [{ type: 'json' as const, patch: [{ op: 'remove', path: '/spec/size' }] }, 'application/json-patch+json', ''],
    [
      { type: 'apply' as const, patch: { apiVersion: 'v1', kind: 'Widget', metadata: blue }, force: true },
      'application/apply-patch+yaml',
      '&force=true',
    ],
    [
      { type: 'apply' as const, patch: { apiVersion: 'v1', kind: 'Widget', metadata: blue }, force: false },
      'application/apply-patch+yaml',
      '&force=false',
    ],
  ])('R-1.13 a patch sends PATCH with %j', async (body, contentType, query) => {
    const { api, transport } = setup({ body: widget() }, { body: widget() });
    await api.patch(Widgets, blue, body, { fieldManager: 'evenkeel-x' });
    await api.patch(Widgets, blue, body, { fieldManager: 'evenkeel-x', subresource: 'status' });
    const path = '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets/blue';
    expect(transport.requests).toMatchObject([
      { method: 'PATCH', path: `${path}?fieldManager=evenkeel-x${query}`, headers: { 'content-type': contentType } },
      {
        method: 'PATCH',
        path: `${path}/status?fieldManager=evenkeel-x${query}`,
        headers: { 'content-type': contentType },
      },
    ]);
    expect(transport.sentJson()).toEqual(body.patch);
  });

  it('R-1.18 delete sends DELETE with preconditions and propagation', async () => {
    const { api, transport } = setup({ body: { kind: 'Status', status: 'Success' } }, { status: 202, body: widget() });
    await api.delete(Widgets, blue, { preconditions: { uid: 'u1' } });
    await api.delete(Widgets, blue, { preconditions: { uid: 'u1', resourceVersion: '7' }, propagation: 'Foreground' });
    expect(transport.requests[0]).toMatchObject({ method: 'DELETE', headers: { 'content-type': 'application/json' } });
    expect(transport.sentJson(0)).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u1' } });
    expect(transport.sentJson(1)).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
    });
  });

  it('R-1.18 no request is sent for a name that would lead to a collection', async () => {
    const { api, transport } = setup();
    const nobody = { namespace: 'shop', name: '' };
    await expect(api.get(Widgets, nobody)).rejects.toMatchObject({ reason: 'BadRequest' });
    await expect(api.delete(Widgets, nobody, { preconditions: { uid: 'u' } })).rejects.toMatchObject({
      reason: 'BadRequest',
    });
    await expect(api.get(Widgets, { namespace: '', name: 'blue' })).rejects.toMatchObject({ reason: 'BadRequest' });
    expect(transport.requests).toEqual([]);
  });
});

describe('R-1.17 an answer that is not what the API promises', () => {
  const cut = JSON.stringify(widget({ spec: { password: 'SECRET-CONTENT' } })).slice(0, -3);

  it.each<[string, Scripted]>([
    ['cut JSON', { body: cut }],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>SECRET-CONTENT</html>' }],
    ['nothing', { body: '' }],
    ['null', { body: 'null' }],
    ['a Status', { body: { kind: 'Status', status: 'Success' } }],
    ['another object', { body: widget({ name: 'red' }) }],
    ['another kind', { body: { ...widget(), kind: 'Gadget' } }],
    ['an object without a UID', { body: { ...widget(), metadata: { name: 'blue', resourceVersion: '7' } } }],
    ['an object without a version', { body: { ...widget(), metadata: { name: 'blue', uid: 'u' } } }],
  ])('an answer to a GET such as %s is Malformed', async (_, answer) => {
    const { api } = setup(answer);
    const error: unknown = await api.get(Widgets, blue).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ reason: 'Malformed', status: 200 });
    expect(String((error as Error).stack)).not.toContain('SECRET-CONTENT');
    expect((error as Error).cause).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['an object', widget()],
    ['a list without a version', page({ metadata: {} })],
    ['a list without items', page({ items: undefined })],
    ['a list with an item that is none', page({ items: [widget(), 'x'] })],
    ['a page cut short', JSON.stringify(page({ items: [widget()] })).slice(0, -20)],
  ])('an answer to a LIST such as %s is Malformed, and proves no absence', async (_, body) => {
    const { api } = setup({ body });
    await expect(api.list(Widgets)).rejects.toMatchObject({ reason: 'Malformed' });
  });

  it.each<[string, unknown]>([
    ['a page', '<html></html>'],
    ['nothing', ''],
    ['some JSON', { ok: true }],
  ])('an answer to a DELETE such as %s is Malformed, and proves no deletion', async (_, body) => {
    const { api } = setup({ body });
    const deletion = api.delete(Widgets, blue, { preconditions: { uid: 'u' } });
    await expect(deletion).rejects.toMatchObject({ reason: 'Malformed' });
  });
});

describe('a call without an answer', () => {
  it('R-2.4 a call without an answer is Timeout after 10 s', async () => {
    const { api, clock } = setup(silence);
    const outcome = expect(api.get(Secrets, blue)).rejects.toMatchObject({
      reason: 'Timeout',
      status: 0,
      message: 'GET secrets shop/blue: no answer in time',
    });
    await clock.advance(9_999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    await outcome;
  });

  it('R-2.4 a call is Timeout when the headers arrive and the body does not', async () => {
    const { api, clock, transport } = setup();
    transport.send = async (request) => ({
      status: 200,
      headers: {},
      text: async () => JSON.stringify(await silence(request)),
      chunks: async function* () {
        yield await silence(request).then(() => new Uint8Array());
      },
    });
    const outcome = expect(api.get(Secrets, blue)).rejects.toMatchObject({ reason: 'Timeout' });
    await clock.advance(10_000);
    await outcome;
  });

  it('a call is Timeout with the reason as its cause when the caller aborts', async () => {
    const { api, clock } = setup(silence);
    const abort = new AbortController();
    const outcome = expect(api.get(Secrets, blue, { signal: abort.signal })).rejects.toMatchObject({
      reason: 'Timeout',
      message: 'GET secrets shop/blue: aborted before an answer came',
      cause: 'the pass is over',
    });
    abort.abort('the pass is over');
    await outcome;
    expect(clock.sleeping).toBe(0);
  });

  it('a call is not sent when the caller has aborted', async () => {
    const { api, transport } = setup({ body: widget() });
    await expect(api.get(Widgets, blue, { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: 'Timeout' });
    expect(transport.requests).toEqual([]);
  });

  it('a call leaves neither a timer nor a listener behind', async () => {
    const { api, clock } = setup({ body: widget() }, failure('ECONNREFUSED'));
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await api.get(Widgets, blue, { signal });
    await api.get(Widgets, blue, { signal }).catch(() => undefined);
    expect(clock.sleeping).toBe(0);
    expect(listeners).toBe(0);
  });

  it.each([
    [failure('ECONNREFUSED'), 'ECONNREFUSED'],
    [failure('ENOTFOUND'), 'ENOTFOUND'],
    [new Error('fetch failed', { cause: failure('EHOSTUNREACH') }), 'EHOSTUNREACH'],
    [new AggregateError([failure('ECONNREFUSED'), failure('ETIMEDOUT')]), 'ECONNREFUSED'],
    [new Error('TEXT-OF-THE-SERVER'), 'connection failed'],
  ])('a call is Unreachable after %s', async (cause, named) => {
    const { api } = setup(cause);
    const error: unknown = await api.get(Widgets, blue).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      reason: 'Unreachable',
      status: 0,
      cause,
      message: `GET widgets.test.evenkeel.dev shop/blue: the API server could not be reached: ${named}`,
    });
  });

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'R-6.4 the error says that the certificate is not trusted, and what to check, after %s',
    async (code) => {
      const { api } = setup(failure(code));
      const error: unknown = await api.get(Widgets, blue).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ reason: 'Unreachable', message: expect.stringContaining(`not trusted (${code})`) });
      expect(error).toMatchObject({ message: expect.stringContaining('certificate-authority-data') });
    },
  );

  it('a call is Malformed, without the received text, when the answer is not HTTP', async () => {
    const { api } = setup(Object.assign(new Error('x'), { name: 'HTTPParserError', data: 'TEXT-OF-THE-SERVER' }));
    const error: unknown = await api.get(Widgets, blue).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ reason: 'Malformed' });
    expect((error as Error).cause).toBeUndefined();
  });
});

describe('R-1.10 a write that its caller stops before it is sent', () => {
  const refused = new Error('the lease is over');
  const stop = {
    fieldManager: 'evenkeel-test',
    beforeSend: () => {
      throw refused;
    },
  };
  const object = { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', metadata: blue };

  it.each([
    ['create', (api: KubernetesClusterApi) => api.create(Widgets, object, stop)],
    ['patch', (api: KubernetesClusterApi) => api.patch(Widgets, blue, { type: 'merge', patch: {} }, stop)],
    ['delete', (api: KubernetesClusterApi) => api.delete(Widgets, blue, { preconditions: { uid: 'u' }, ...stop })],
  ])('fails with the error of the caller, and nothing is sent: %s', async (_, write) => {
    const { api, transport } = setup({ body: widget() });
    await expect(write(api)).rejects.toBe(refused);
    expect(transport.requests).toEqual([]);
  });

  it('is stopped also when it would be sent a second time', async () => {
    const { api, transport } = setup(failure('ECONNRESET'), { body: widget() });
    let asked = 0;
    const beforeSend = () => {
      asked += 1;
      if (asked > 1) throw refused;
    };
    const body = { type: 'merge', patch: { metadata: { resourceVersion: '1' } } } as const;
    const write = api.patch(Widgets, blue, body, { fieldManager: 'evenkeel-test', beforeSend });
    await expect(write).rejects.toBe(refused);
    expect(transport.requests).toHaveLength(1);
  });
});

describe('a request whose kept-alive connection had died', () => {
  const options = { fieldManager: 'evenkeel-x' };
  const guarded = { metadata: { resourceVersion: '7' }, status: {} };
  const applied = { apiVersion: 'v1', kind: 'Widget', metadata: blue };

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])('a request is sent once more after %s', async (code) => {
    const { api, transport } = setup(failure(code), { body: widget() });
    await expect(api.get(Widgets, blue)).resolves.toEqual(widget());
    expect(transport.requests).toHaveLength(2);
  });

  it('a request is not sent a third time', async () => {
    const { api, transport } = setup(failure('ECONNRESET'), failure('ECONNRESET'), { body: widget() });
    await expect(api.get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(transport.requests).toHaveLength(2);
  });

  it('a request is not sent again after another failure', async () => {
    const { api, transport } = setup(failure('ECONNREFUSED'), { body: widget() });
    await expect(api.get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(transport.requests).toHaveLength(1);
  });

  it('a request is not sent again when its answer breaks off', async () => {
    const { api, transport } = setup({ chunks: ['{', failure('ECONNRESET')] }, { body: widget() });
    await expect(api.get(Widgets, blue)).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(transport.requests).toHaveLength(1);
  });

  it('R-1.12 a write that the server takes at most once is sent again', async () => {
    const { api, transport } = setup(
      ...Array.from({ length: 5 }, () => [failure('ECONNRESET'), { body: widget() }]).flat(),
    );
    await api.patch(Widgets, blue, { type: 'merge', patch: guarded }, options);
    const metadata = { ...blue, uid: 'u', resourceVersion: '7' };
    await api.patch(Widgets, blue, { type: 'apply', patch: { ...applied, metadata }, force: true }, options);
    for (const op of ['test', 'replace']) {
      const names = { op, path: '/metadata/resourceVersion', value: '7' };
      await api.patch(Widgets, blue, { type: 'json', patch: [names] }, options);
    }
    await api.delete(Widgets, blue, { preconditions: { uid: 'u' } });
    expect(transport.requests).toHaveLength(10);
  });

  it('R-1.12 the Conflict that shows a successful first write is passed on', async () => {
    const { api } = setup(failure('ECONNRESET'), { status: 409, body: status(409, 'Conflict') });
    const write = api.patch(Widgets, blue, { type: 'merge', patch: guarded }, options);
    await expect(write).rejects.toMatchObject({ reason: 'Conflict', repeated: true });
  });

  it('R-1.12 a write that could be applied twice is not sent again', async () => {
    const { api, transport } = setup(...Array.from({ length: 7 }, () => failure('ECONNRESET')));
    const unreachable = { reason: 'Unreachable' };
    await expect(api.create(Planets, { ...applied, metadata: { name: 'x' } }, options)).rejects.toMatchObject(
      unreachable,
    );
    await expect(api.patch(Widgets, blue, { type: 'merge', patch: {} }, options)).rejects.toMatchObject(unreachable);
    for (const metadata of [blue, { ...blue, uid: 'u' }, { ...blue, resourceVersion: '7' }]) {
      const body = { type: 'apply' as const, patch: { ...applied, metadata }, force: true };
      await expect(api.patch(Widgets, blue, body, options)).rejects.toMatchObject(unreachable);
    }
    for (const operation of [
      { op: 'remove', path: '/spec' },
      { op: 'replace', path: '/metadata/resourceVersion', value: '' },
    ]) {
      await expect(api.patch(Widgets, blue, { type: 'json', patch: [operation] }, options)).rejects.toMatchObject(
        unreachable,
      );
    }
    expect(transport.requests).toHaveLength(7);
  });
});
