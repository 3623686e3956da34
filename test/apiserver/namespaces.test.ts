import { describe, expect, it } from 'vitest';
import { widget, widgetServer, widgets } from './api-client.ts';

const namespaces = '/api/v1/namespaces';
const inTeam = widgets.replace('default', 'team');

describe('namespaces of the embedded API server', () => {
  it('R-5.16 kube-system is there from the start, with a UID that can stand for the cluster', async () => {
    const { client } = await widgetServer();
    const { body } = await client.get(`${namespaces}/kube-system`);
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'kube-system' }, uid: expect.stringMatching(/.+/) },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    const refused = await client.delete(`${namespaces}/kube-system`);
    expect(refused.body).toMatchObject({
      code: 403,
      message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    });
  });

  it('creating in a namespace that does not exist is refused', async () => {
    const { client } = await widgetServer();
    const answer = await client.post(inTeam, widget('a'));
    expect(answer.body).toMatchObject({
      code: 404,
      message: 'namespaces "team" not found',
      details: { name: 'team', kind: 'namespaces' },
    });
  });

  it('R-3.5 a deleted namespace is removed when its content is gone, and finalizers are respected', async () => {
    const { server, client } = await widgetServer();
    await client.post(namespaces, { metadata: { name: 'team' } });
    await client.post(inTeam, widget('free'));
    await client.post(inTeam, widget('held', {}, { finalizers: ['example.com/hold'] }));
    const deleted = await client.delete(`${namespaces}/team`);
    expect(deleted.body).toMatchObject({
      kind: 'Namespace',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { phase: 'Terminating' },
    });
    const refused = await client.post(inTeam, widget('late'));
    expect(refused.body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'widgets.example.com "late" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
    await server.idle();
    expect((await client.get(inTeam)).body.items).toMatchObject([{ metadata: { name: 'held' } }]);
    expect((await client.get(`${namespaces}/team`)).body.status.conditions).toEqual([
      expect.objectContaining({
        type: 'NamespaceContentRemaining',
        status: 'True',
        message: 'Some resources are remaining: widgets.example.com has 1 resource instances',
      }),
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      }),
    ]);

    await client.merge(`${inTeam}/held`, { metadata: { finalizers: null } });
    await server.idle();
    expect((await client.get(`${namespaces}/team`)).status).toBe(404);
  });

  it('R-3.5 preconditions hold for the deletion of a namespace too', async () => {
    const { client } = await widgetServer();
    const { body } = await client.post(namespaces, { metadata: { name: 'team' } });
    await client.merge(`${namespaces}/team`, { metadata: { labels: { changed: 'yes' } } });
    const { uid, resourceVersion } = body.metadata;
    const answer = await client.delete(`${namespaces}/team`, { preconditions: { uid, resourceVersion } });
    expect(answer.status).toBe(409);
    expect((await client.get(`${namespaces}/team`)).body.status.phase).toBe('Active');
  });

  it('a namespace name is a DNS label', async () => {
    const { client } = await widgetServer();
    const answer = await client.post(namespaces, { metadata: { name: 'a.b' } });
    expect(answer.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { name: 'a.b', kind: 'Namespace', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }] },
    });
    expect(answer.body.message).toContain('must not contain dots');
  });
});
