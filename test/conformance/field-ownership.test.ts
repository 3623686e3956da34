import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { conflictMessage } from '../../lib/apiserver/fields/conflicts.ts';
import { applyObject, keepTimes, updateManagedFields } from '../../lib/apiserver/fields/fields.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../lib/apiserver/json.ts';
import { compileSchema } from '../../lib/apiserver/schema/schema.ts';
import { entriesOf, owners, widgetSchema } from '../apiserver/fields/widget.ts';
import type { ApiResponse, ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { type ServedKind, serveKind } from './served-kind.ts';

// Random writes by several managers, each sent to the real server and to our functions. After every write both must
// agree on the objects, the owners, the refusals, and which entries have a time.

type Write =
  | {
      readonly by: 'apply';
      readonly manager: string;
      readonly force: boolean;
      readonly spec: JsonObject;
      readonly meta: JsonObject;
    }
  | { readonly by: 'update'; readonly manager: string; readonly spec: JsonObject; readonly meta: JsonObject }
  | { readonly by: 'status'; readonly manager: string; readonly status: JsonObject }
  | { readonly by: 'applyStatus'; readonly manager: string; readonly force: boolean; readonly status: JsonObject };

const compiled = compileSchema(widgetSchema);
const text = fc.constantFrom('x', 'y');
const mapOf = <T>(keys: string[], values: fc.Arbitrary<T>, minKeys = 0): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(fc.constantFrom(...keys), values, { minKeys, maxKeys: keys.length, noNullPrototype: true });

const spec = fc.record(
  {
    replicas: fc.integer({ min: 1, max: 2 }),
    image: text,
    nested: fc.record({ a: text, b: text }, { requiredKeys: [] }),
    labels: mapOf(['k', 'l'], text),
    whole: mapOf(['k', 'l'], text),
    args: fc.array(text, { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom('p', 'q', 'r')),
    ports: fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 3 }), name: text }, { requiredKeys: ['port'] }), {
      selector: (each) => each.port,
    }),
    free: mapOf(['a', 'b'], fc.oneof(text, mapOf(['c', 'd'], text), fc.array(text, { maxLength: 2 }))),
  },
  { requiredKeys: [] },
);
const meta = fc.record(
  {
    labels: mapOf(['k', 'l'], text, 1),
    annotations: mapOf(['k'], text, 1),
    finalizers: fc.uniqueArray(fc.constantFrom('f.x/1', 'f.x/2'), { minLength: 1 }),
  },
  { requiredKeys: [] },
);
const status = fc.record({ ready: fc.boolean(), phase: text }, { requiredKeys: [] });
const write = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      by: fc.constant('apply'),
      manager: fc.constantFrom('a', 'b'),
      force: fc.boolean(),
      spec,
      meta,
    }),
  },
  { weight: 2, arbitrary: fc.record({ by: fc.constant('update'), manager: fc.constantFrom('u', 'a'), spec, meta }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('status'), manager: fc.constant('c'), status }) },
  {
    weight: 1,
    arbitrary: fc.record({
      by: fc.constant('applyStatus'),
      manager: fc.constantFrom('a', 'c'),
      force: fc.boolean(),
      status,
    }),
  },
) as fc.Arbitrary<Write>;
const histories = fc.sample(fc.array(write, { minLength: 2, maxLength: 6 }), { numRuns: 60, seed: 20261129 });

let server: ApiServer;
let served: ServedKind;

beforeAll(async () => {
  server = await sharedApiServer();
  served = await serveKind(server, 'ownedwidgets', widgetSchema, true);
});

afterAll(async () => {
  await served.remove();
  await server.disconnect();
});

it.each(histories.map((history, index): [number, Write[]] => [index, history]))(
  'R-6.2 history %i of applies and updates ends as on the real API server',
  async (index, history) => {
    const name = `w${index}`;
    let live: JsonObject | undefined;
    for (const [step, each] of history.entries()) {
      if (live === undefined && (each.by === 'status' || each.by === 'applyStatus')) continue;
      const real = await theirs(name, each, live);
      const own = ours(name, each, live, `2026-01-01T00:00:0${step}Z`);
      const told = JSON.stringify(history.slice(0, step + 1), undefined, 1);
      if (typeof own === 'string') {
        expect(words(own), told).toEqual(words(stringAt(real.json<JsonObject>(), 'message')));
        continue;
      }
      expect(real.status, `${real.text} ${told}`).toBeLessThan(300);
      const object = real.json<JsonObject>();
      expect(content(own), told).toEqual(content(object));
      expect(owners(own), told).toEqual(owners(object));
      expect(timed(own), told).toEqual(timed(object));
      live = own;
    }
  },
);

/** The object after a write, or the reason why the write is refused. */
function ours(name: string, each: Write, live: JsonObject | undefined, time: string): JsonObject | string {
  const { apiVersion, kind } = served;
  const { manager } = each;
  const toStatus = each.by === 'status' || each.by === 'applyStatus';
  const writer = {
    manager,
    node: compiled.node,
    apiVersion,
    time,
    subresource: toStatus ? 'status' : '',
    resetFields: toStatus ? ['metadata', 'spec'] : ['status'],
  };
  const body = bodyOf(name, each, apiVersion, kind);
  let next: JsonObject;
  if (each.by === 'apply' || each.by === 'applyStatus') {
    const result = applyObject({ ...writer, live, applied: body, force: each.force, custom: true });
    if (!result.ok) return conflictMessage(result.conflicts);
    next = toStatus ? withStatusOf(live ?? {}, result.object) : withStatus(result.object, live?.status);
    compiled.fillDefaults(next);
  } else if (each.by === 'update') {
    const after = withStatus({ ...body, metadata: { ...objectAt(body, 'metadata'), ...uidOf(live) } }, live?.status);
    compiled.applyDefaults(after);
    next = updateManagedFields({ ...writer, before: live, after });
  } else {
    const after = { ...live, status: { ...objectAt(live, 'status'), ...each.status } };
    next = updateManagedFields({ ...writer, before: live, after });
  }
  const issues = compiled.validate(next, live).map((issue) => `${issue.path}: ${issue.message}`);
  if (issues.length > 0) return refusal(kind, name, issues);
  // A stored object has a UID; an update is recognized by it.
  const stored: JsonObject = { ...next, metadata: { ...objectAt(next, 'metadata'), uid: 'u' } };
  return live === undefined ? stored : keepTimes(live, stored);
}

function theirs(name: string, each: Write, live: JsonObject | undefined): Promise<ApiResponse> {
  const { path, apiVersion, kind } = served;
  const body = bodyOf(name, each, apiVersion, kind);
  const by = `fieldManager=${each.manager}`;
  switch (each.by) {
    case 'apply':
    case 'applyStatus': {
      const target = `${path}/${name}${each.by === 'apply' ? '' : '/status'}?${by}&force=${each.force}`;
      return server.request({
        method: 'PATCH',
        path: target,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body,
      });
    }
    case 'status':
      return server.request({ method: 'PATCH', path: `${path}/${name}/status?${by}`, body: { status: each.status } });
    case 'update':
      return live === undefined
        ? server.request({ method: 'POST', path: `${path}?${by}`, body })
        : replace(`${path}/${name}`, by, body);
  }
}

async function replace(path: string, by: string, body: JsonObject): Promise<ApiResponse> {
  const current = (await server.expectOk({ method: 'GET', path })).json();
  const metadata = { ...objectAt(body, 'metadata'), resourceVersion: current.metadata.resourceVersion };
  return server.request({ method: 'PUT', path: `${path}?${by}`, body: { ...body, metadata } });
}

function bodyOf(name: string, each: Write, apiVersion: string, kind: string): JsonObject {
  const head = { apiVersion, kind };
  if (each.by === 'status' || each.by === 'applyStatus') return { ...head, metadata: { name }, status: each.status };
  return structuredClone({ ...head, metadata: { name, ...each.meta }, spec: each.spec });
}

function withStatus(object: JsonObject, value: JsonObject[string] | undefined): JsonObject {
  const { status: _status, ...rest } = object;
  return value === undefined ? rest : { ...rest, status: value };
}

/** A write of the status changes nothing else, except the owners of the fields. */
function withStatusOf(live: JsonObject, object: JsonObject): JsonObject {
  const managedFields = objectAt(object, 'metadata')?.managedFields ?? [];
  return withStatus({ ...live, metadata: { ...objectAt(live, 'metadata'), managedFields } }, object.status);
}

function uidOf(live: JsonObject | undefined): JsonObject {
  return live === undefined ? {} : { uid: 'u' };
}

function refusal(kind: string, name: string, issues: readonly string[]): string {
  const group = served.apiVersion.split('/')[0];
  const list = issues.length === 1 ? issues[0] : `[${issues.join(', ')}]`;
  return `${kind}.${group} "${name}" is invalid: ${list}`;
}

/** A message with its parts sorted, because the real server prints them in random order. */
function words(message: string): string[] {
  return message.split(/\n|, |[[\]]/).sort();
}

const SERVER_FIELDS = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

function content(object: JsonObject): JsonObject {
  const metadata = Object.entries(objectAt(object, 'metadata') ?? {}).filter(([name]) => !SERVER_FIELDS.includes(name));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

function timed(object: JsonObject): boolean[] {
  return entriesOf(object).map((entry) => isObject(entry) && entry.time !== undefined);
}
