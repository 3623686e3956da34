import { expect, it } from 'vitest';
import type { Transport, TransportRequest } from '../../../lib/adapters/kubernetes/transport.ts';
import { gadgetsPath } from './gadget.ts';
import { area } from './world.ts';

/** Bodies are text here, because JSON.parse and JSON.stringify would change such integers. */
async function send(
  transport: Transport,
  method: TransportRequest['method'],
  path: string,
  body?: string,
  mediaType = 'application/json',
): Promise<{ status: number; text: string }> {
  const response = await transport.send({
    method,
    path,
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': mediaType }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

function gadgetText(name: string, spec: string): string {
  return `{"apiVersion":"contract.evenkeel.dev/v1","kind":"Gadget","metadata":{"name":"${name}"},"spec":{"size":1,${spec}}}`;
}

const WIDE = ['9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'];

export const describeWideIntegers = area('R-6.2 an integer beyond 2^53', (world) => {
  it.each(WIDE)('in a custom resource is kept exactly when it is %s', async (integer) => {
    const { transport } = world().target;
    const path = gadgetsPath(await world().namespace());
    const kept = `"free":{"list":[${integer}],"wide":${integer}}`;
    const created = await send(transport, 'POST', path, gadgetText('a', kept));
    expect(created.text).toContain(kept);
    expect((await send(transport, 'GET', `${path}/a`)).text).toContain(kept);
    expect((await send(transport, 'GET', path)).text).toContain(kept);
    const watched = await send(transport, 'GET', `${path}?watch=true&timeoutSeconds=1&resourceVersion=0`);
    expect(watched.text).toContain(kept);
  });

  it.each(WIDE)('is kept exactly by every patch, and by what follows, when it is %s', async (integer) => {
    const { transport } = world().target;
    const path = gadgetsPath(await world().namespace());
    await send(transport, 'POST', path, gadgetText('a', '"free":{}'));
    const patch = (type: string, body: string, query = '') =>
      send(transport, 'PATCH', `${path}/a${query}`, body, `application/${type}`);
    const merged = await patch('merge-patch+json', `{"spec":{"free":{"merged":${integer}}}}`);
    expect(merged.text).toContain(`"merged":${integer}`);
    const added = await patch('json-patch+json', `[{"op":"add","path":"/spec/free/added","value":${integer}}]`);
    for (const member of ['added', 'merged']) expect(added.text).toContain(`"${member}":${integer}`);
    const tested = `[{"op":"test","path":"/spec/free/added","value":${integer}},{"op":"remove","path":"/spec/free/added"}]`;
    expect((await patch('json-patch+json', tested)).status).toBe(200);
    const neighbour = String(BigInt(integer) + (integer.startsWith('-') ? 1n : -1n));
    const refused = await patch(
      'json-patch+json',
      `[{"op":"test","path":"/spec/free/merged","value":${neighbour}},{"op":"remove","path":"/spec/free/merged"}]`,
    );
    expect(refused.status).toBe(422);
    const applied = gadgetText('a', `"free":{"applied":${integer}}`);
    const manager = '?fieldManager=wide&force=true';
    expect((await patch('apply-patch+yaml', applied, manager)).text).toContain(`"applied":${integer}`);
    const yaml = `apiVersion: contract.evenkeel.dev/v1\nkind: Gadget\nmetadata: {name: a}\nspec:\n  size: 1\n  free: {yaml: ${integer}}\n`;
    expect((await patch('apply-patch+yaml', yaml, manager)).text).toContain(`"yaml":${integer}`);
  });

  it('is judged by the schema and its rules', async () => {
    const { transport } = world().target;
    const path = gadgetsPath(await world().namespace());
    const limited = await send(transport, 'POST', path, gadgetText('a', '"limit":9007199254740993'));
    expect(limited.text).toContain('"limit":9007199254740993');
    const sized = await send(transport, 'POST', path, gadgetText('b', '"limit":1').replace('1,', '9007199254740993,'));
    expect(sized.status).toBe(422);
    const text = await send(transport, 'POST', path, gadgetText('c', '"note":9007199254740993'));
    expect(text.status).toBe(422);
  });

  it('that 64 bits do not hold becomes a floating-point number', async () => {
    const { transport } = world().target;
    const path = gadgetsPath(await world().namespace());
    const created = await send(transport, 'POST', path, gadgetText('a', '"free":{"wide":9223372036854775809}'));
    expect(created.text).toContain('"wide":9223372036854776000');
  });

  it.each([
    ['deployments', 'apps/v1', 'Deployment', '"replicas":9007199254740993,"selector":{"matchLabels":{"a":"b"}}'],
    ['leases', 'coordination.k8s.io/v1', 'Lease', '"leaseDurationSeconds":9223372036854775807'],
    ['services', 'v1', 'Service', '"ports":[{"port":9007199254740993}]'],
    ['pods', 'v1', 'Pod', '"activeDeadlineSeconds":9223372036854775808,"containers":[{"name":"a","image":"a"}]'],
  ])('in %s is refused when the field has fewer bits', async (resource, apiVersion, kind, spec) => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const path = `${root}/namespaces/${await world().namespace()}/${resource}`;
    const body = `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"a"},"spec":{${spec}}}`;
    const { status, text } = await send(world().target.transport, 'POST', path, body);
    expect(JSON.parse(text)).toMatchObject({
      reason: 'BadRequest',
      message: expect.stringContaining('cannot unmarshal'),
    });
    expect(status).toBe(400);
  });
});
