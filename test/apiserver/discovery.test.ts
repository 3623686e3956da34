import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../lib/apiserver/discovery/api-groups.ts';
import { ApiClient, definitions, testServer, widgetDefinition, widgetServer } from './api-client.ts';

describe('discovery of the embedded API server', () => {
  it('R-6.2 lists groups, versions and resources, custom ones as soon as they are served', async () => {
    const { client } = await widgetServer();
    expect((await client.get('/api')).body.versions).toEqual(['v1']);
    const groups = (await client.get('/apis')).body.groups.map((group: { name: string }) => group.name);
    expect(groups).toEqual(expect.arrayContaining(['apps', 'apiextensions.k8s.io', 'events.k8s.io', 'example.com']));
    const { body } = await client.get('/apis/example.com/v1');
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'example.com/v1' });
    expect(body.resources).toMatchObject([
      { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', shortNames: ['wd'] },
      { name: 'widgets/status', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    ]);
    await client.delete(`${definitions}/widgets.example.com`);
    expect((await client.get('/apis/example.com/v1')).status).toBe(404);
  });

  it('R-6.2 gives the aggregated document to clients that ask for it', async () => {
    const { client } = await widgetServer();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const { body, headers } = await client.get('/apis', { accept });
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const group = body.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'example.com');
    expect(group.versions).toMatchObject([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
            scope: 'Namespaced',
            subresources: [{ subresource: 'status' }],
          },
        ],
      },
    ]);
    const core = await client.get('/api', { accept });
    expect(core.body.items).toHaveLength(1);
  });

  it('R-6.2 publishes the schemas of custom resources, and the parameters of a PATCH', async () => {
    const client = new ApiClient(testServer());
    await client.post(definitions, widgetDefinition());
    const index = (await client.get('/openapi/v3')).body.paths;
    const { body } = await client.get(index['apis/example.com/v1'].serverRelativeURL);
    expect(body.components.schemas['com.example.v1.Widget']).toMatchObject({
      properties: { spec: { type: 'object' }, metadata: { type: 'object' } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    const { patch } = body.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}'];
    expect(patch.parameters.map((each: { name: string }) => each.name)).toContain('fieldValidation');
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'example.com', kind: 'Widget', version: 'v1' });
  });

  it('R-6.2 returns its version and health', async () => {
    const client = new ApiClient(testServer());
    expect((await client.get('/version')).body).toMatchObject({ major: '1', minor: '37' });
    expect((await client.get('/readyz')).body).toBe('ok');
    expect(await client.get('/nowhere')).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  it('orders versions by stability, then by number', () => {
    const versions = ['v1beta1', 'foo1', 'v2', 'v1', 'v11alpha2', 'v1beta2', 'v12alpha1', 'v10', 'foo10'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta2',
      'v1beta1',
      'v12alpha1',
      'v11alpha2',
      'foo1',
      'foo10',
    ]);
  });
});
