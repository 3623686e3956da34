import { describe, expect, it } from 'vitest';
import { type ApiClient, widget, widgetServer, widgets } from './api-client.ts';

async function createWidgets(client: ApiClient, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const namespace = name.startsWith('sys-') ? 'kube-system' : 'default';
    await client.post(widgets.replace('default', namespace), widget(name, {}, { labels: { first: name.slice(-1) } }));
  }
}

function names(list: { items: { metadata: { name: string } }[] }): string[] {
  return list.items.map((item) => item.metadata.name);
}

describe('lists of the embedded API server', () => {
  it('R-5.8 a list is in the byte order of namespace and name, as the relay merges it with stored edges', async () => {
    const { client } = await widgetServer();
    await createWidgets(client, ['b', 'a-b', 'a', 'a.b', 'sys-a']);
    const { body } = await client.get('/apis/example.com/v1/widgets');
    expect(names(body)).toEqual(['a', 'a-b', 'a.b', 'b', 'sys-a']);
    expect(names((await client.get(widgets)).body)).toEqual(['a', 'a-b', 'a.b', 'b']);
  });

  it('R-5.8 all pages of a list show the state of the first one', async () => {
    const { client } = await widgetServer();
    await createWidgets(client, ['a', 'b', 'c', 'd']);
    const first = await client.get(`${widgets}?limit=2`);
    expect(names(first.body)).toEqual(['a', 'b']);
    expect(first.body.metadata.remainingItemCount).toBe(2);

    await client.delete(`${widgets}/d`);
    await client.merge(`${widgets}/c`, { spec: { later: true } });
    await client.merge(`${widgets}/c`, { spec: { later: false } });
    await createWidgets(client, ['bb']);
    const second = await client.get(`${widgets}?limit=2&continue=${first.body.metadata.continue}`);
    expect(names(second.body)).toEqual(['c', 'd']);
    expect(second.body.items[0].spec).toEqual({});
    expect(second.body.metadata).toEqual({ continue: '', resourceVersion: first.body.metadata.resourceVersion });
  });

  it('R-5.8 an expired continue is answered with 410 and a token that goes on inconsistently', async () => {
    const { server, client } = await widgetServer();
    await createWidgets(client, ['a', 'b', 'c']);
    const first = await client.get(`${widgets}?limit=1`);
    await createWidgets(client, ['bb']);
    server.compact();
    const expired = await client.get(`${widgets}?limit=1&continue=${first.body.metadata.continue}`);
    expect(expired.status).toBe(410);
    expect(expired.body).toMatchObject({ reason: 'Expired', code: 410, status: 'Failure' });
    expect(expired.body.message).toContain('The provided continue parameter is too old to display a consistent list');
    const rest = await client.get(`${widgets}?continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['b', 'bb', 'c']);
  });

  it('selectors choose by labels and by fields', async () => {
    const { client } = await widgetServer();
    await createWidgets(client, ['a', 'b', 'c', 'xa']);
    const chosen = async (query: string): Promise<string[]> => names((await client.get(`${widgets}?${query}`)).body);
    expect(await chosen('labelSelector=first%3Da')).toEqual(['a', 'xa']);
    expect(await chosen('labelSelector=first+in+(a,b),other!%3D1')).toEqual(['a', 'b', 'xa']);
    expect(await chosen('labelSelector=first+notin+(a,b)')).toEqual(['c']);
    expect(await chosen('labelSelector=!first')).toEqual([]);
    expect(await chosen('fieldSelector=metadata.name%3Dxa')).toEqual(['xa']);
    expect(await chosen('fieldSelector=metadata.name!%3Dxa,metadata.namespace%3Ddefault')).toEqual(['a', 'b', 'c']);
    const unknown = await client.get(`${widgets}?fieldSelector=spec.size%3D1`);
    expect(unknown.body).toMatchObject({ code: 400, message: 'field label not supported: spec.size' });
  });

  it('R-5.7 resourceVersionMatch=Exact reads the past, and a version from the future is refused', async () => {
    const { server, client } = await widgetServer();
    await createWidgets(client, ['a']);
    const { resourceVersion } = (await client.get(widgets)).body.metadata;
    await createWidgets(client, ['b']);
    const exact = `${widgets}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    expect(names((await client.get(exact)).body)).toEqual(['a']);
    const newer = `${widgets}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`;
    expect(names((await client.get(newer)).body)).toEqual(['a', 'b']);
    const future = await client.get(`${widgets}?resourceVersion=999`);
    expect(future.body).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: expect.stringMatching(/^Timeout: Too large resource version: 999, current: \d+$/),
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    });
    server.compact();
    expect((await client.get(exact)).body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
    expect((await client.get(`${widgets}?resourceVersionMatch=Exact`)).body).toMatchObject({
      code: 422,
      message: expect.stringContaining('resourceVersionMatch is forbidden unless resourceVersion is provided'),
    });
  });

  it('R-5.1 metadata alone is given on request, for one object and for lists', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('a', { size: 1 }, { labels: { x: 'y' } }));
    const list = await client.get(widgets, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(list.body.items).toEqual([
      {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: expect.objectContaining({ name: 'a', labels: { x: 'y' }, generation: 1 }),
      },
    ]);
    const one = await client.get(`${widgets}/a`, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    expect(one.body).toEqual(list.body.items[0]);
    const swapped = await client.get(widgets, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    expect(swapped.body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    const listOfOne = await client.get(`${widgets}/a`, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(listOfOne.body).toMatchObject({ code: 406, message: expect.stringContaining('is not a list') });
    const protobuf = await client.get(widgets, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(protobuf.body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
  });
});
