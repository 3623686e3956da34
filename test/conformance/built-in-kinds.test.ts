import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtinNode } from '../../lib/apiserver/fields/builtin.ts';
import { applyObject } from '../../lib/apiserver/fields/fields.ts';
import { StrategicPatchError, strategicMergePatch } from '../../lib/apiserver/fields/strategic-merge.ts';
import { isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../../lib/apiserver/json.ts';
import { manifests } from '../apiserver/fields/manifests.ts';
import { patchedDeployment, strategicPatches } from '../apiserver/fields/patches.ts';
import { owners } from '../apiserver/fields/widget.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { withNamespace } from '../real-apiserver/with-namespace.ts';

let server: ApiServer;

beforeAll(async () => {
  server = await sharedApiServer();
});

afterAll(async () => {
  await server.disconnect();
});

describe('who owns what after an apply', () => {
  it.each(manifests)('R-6.2 %s: as on the real API server', async (collection, apiVersion, kind, content) => {
    const name = stringAt(objectAt(content, 'metadata'), 'name') || 'x';
    const applied: JsonObject = { ...content, apiVersion, kind, metadata: { ...objectAt(content, 'metadata'), name } };
    const response = await server.expectOk({
      method: 'PATCH',
      path: `${collection}/${name}?fieldManager=a&dryRun=All`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: applied,
    });
    const own = applyObject({
      live: undefined,
      applied,
      manager: 'a',
      force: false,
      node: builtinNode(apiVersion, kind),
      apiVersion,
      time: '2026-01-01T00:00:00Z',
    });
    expect(own.ok && owners(own.object)).toEqual(owners(response.json<JsonObject>()));
  });
});

describe('strategic merge patches', () => {
  it('R-6.2 come out as on the real API server, or are refused in its words', async () => {
    await withNamespace(server, async (namespace) => {
      const collection = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const live = (
        await server.expectOk({ method: 'POST', path: collection, body: patchedDeployment })
      ).json<JsonObject>();
      for (const patch of strategicPatches) {
        const response = await server.request({
          method: 'PATCH',
          path: `${collection}/patched?dryRun=All`,
          headers: { 'content-type': 'application/strategic-merge-patch+json' },
          body: patch,
        });
        const own = patched(live, patch);
        const told = JSON.stringify(patch);
        if (own instanceof StrategicPatchError) {
          expect([response.status, stringAt(response.json<JsonObject>(), 'message')], told).toEqual([
            own.code,
            own.message,
          ]);
        } else {
          expect(response.status, response.text).toBe(200);
          expect(comparable(own), told).toEqual(comparable(response.json<JsonObject>()));
        }
      }
      await server.expectOk({
        method: 'PATCH',
        path: `${collection}/patched`,
        body: { metadata: { finalizers: null } },
      });
    });
  });
});

function patched(live: JsonObject, patch: JsonObject): JsonObject | StrategicPatchError {
  try {
    return strategicMergePatch(live, patch, builtinNode('apps/v1', 'Deployment'));
  } catch (error) {
    if (error instanceof StrategicPatchError) return error;
    throw error;
  }
}

/** Fields that defaulting adds to new parts of an object, and fields that the server adds to every object. */
const ADDED = new Set([
  'generation',
  'managedFields',
  'protocol',
  'imagePullPolicy',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'resources',
  'replicas',
  'defaultMode',
  'status',
]);

function comparable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !ADDED.has(name))
    .map(([name, member]): [string, JsonValue] => [name, comparable(member)])
    .filter(([, member]) => !isObject(member) || Object.keys(member).length > 0);
  return Object.fromEntries(members);
}
