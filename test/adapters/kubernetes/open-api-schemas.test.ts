import { describe, expect, it } from 'vitest';
import { OpenApiSchemas } from '../../../lib/adapters/kubernetes/open-api-schemas.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { FakeTransport, failure, type Scripted, silence } from './fake-transport.ts';

const WIDGETS = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

const named = (kind: string, version = 'v1') => ({
  type: 'object',
  'x-kubernetes-group-version-kind': [{ group: 'example.com', version, kind }],
});

function setUp(step: Scripted) {
  const transport = new FakeTransport(step);
  const clock = new ManualClock();
  return { transport, clock, read: () => new OpenApiSchemas(transport, clock).schemaOf(WIDGETS) };
}

describe('OpenApiSchemas', () => {
  it('R-6.4 finds the schema of a kind in the document of its group and version', async () => {
    const schemas = { List: named('WidgetList'), Old: named('Widget', 'v1beta1'), Right: named('Widget'), Meta: {} };
    const { transport, read } = setUp({ status: 200, body: { components: { schemas } } });
    expect(await read()).toEqual(named('Widget'));
    expect(transport.requests).toMatchObject([{ method: 'GET', path: '/openapi/v3/apis/example.com/v1' }]);
  });

  it.each<[string, Scripted]>([
    ['is not served', { status: 404, body: {} }],
    ['has no such kind', { status: 200, body: { components: { schemas: { Other: named('Other') } } } }],
    ['has no schemas', { status: 200, body: {} }],
  ])('R-6.4 finds no schema when the version %s', async (_, step) => {
    expect(await setUp(step).read()).toBeUndefined();
  });

  it.each([
    [{ status: 401, body: {} }, 'Unauthorized'],
    [{ status: 200, body: 'no JSON' }, 'Malformed'],
    [failure('ECONNREFUSED'), 'Unreachable'],
  ])('R-6.4 rejects when the answer is no document: %#', async (step, reason) => {
    await expect(setUp(step).read()).rejects.toMatchObject({ reason });
  });

  it('R-5.14 does not wait for an API server that says nothing', async () => {
    const { clock, read } = setUp(silence);
    const outcome = expect(read()).rejects.toMatchObject({ reason: 'Timeout' });
    await clock.advance(10_000);
    await outcome;
  });
});
