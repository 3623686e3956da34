import { expect, it } from 'vitest';
import type { JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, configMap, type GadgetFields, gadget, manager, nameOf, type World } from './world.ts';

interface ApplyOptions {
  readonly as?: string;
  readonly force?: boolean;
}

const apply = (
  world: World,
  namespace: string,
  fields: GadgetFields,
  { as = 'one', force = false }: ApplyOptions = {},
) =>
  world.api.patch(
    Gadgets,
    { namespace, name: 'a' },
    { type: 'apply', patch: gadget(namespace, 'a', fields), force },
    { fieldManager: as },
  );

const fieldsOf = ({ metadata }: KubeObject, manager: string, operation = 'Apply'): JsonValue | undefined =>
  metadata.managedFields?.find((entry) => entry.manager === manager && entry.operation === operation)?.fieldsV1;

export const describeApply = area('R-1.13 server-side apply', (world) => {
  it('creates what is absent, and owns what it said', async () => {
    const namespace = await world().namespace();
    const created = await apply(world(), namespace, { spec: { note: 'hi' }, metadata: { labels: { a: 'b' } } });
    expect(created).toMatchObject({
      metadata: { generation: 1, labels: { a: 'b' } },
      spec: { size: 1, note: 'hi', color: 'blue' },
    });
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'contract.evenkeel.dev/v1',
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:note': {}, 'f:size': {} } },
      },
    ]);
  });

  it('R-1.3 of the same again changes nothing, not even the version', async () => {
    const namespace = await world().namespace();
    const first = await apply(world(), namespace, { spec: { note: 'hi', ports: [{ name: 'web', port: 80 }] } });
    const second = await apply(world(), namespace, { spec: { note: 'hi', ports: [{ name: 'web', port: 80 }] } });
    expect(second).toEqual(first);
  });

  it('R-1.4 removes what it no longer says and nobody else owns', async () => {
    const namespace = await world().namespace();
    await apply(world(), namespace, { spec: { note: 'hi', options: { a: '1', b: '2' }, tags: ['x', 'y'] } });
    await apply(world(), namespace, { spec: { options: { b: '2' } } }, { as: 'two' });
    const { spec } = await apply(world(), namespace, { spec: { options: { a: '1' }, tags: ['y'] } });
    expect(spec).toEqual({ size: 1, limit: 10, color: 'blue', options: { a: '1', b: '2' }, tags: ['y'] });
  });

  it('of a field that another manager set otherwise is a Conflict, unless forced', async () => {
    const namespace = await world().namespace();
    await apply(world(), namespace, { spec: { note: 'hi' } });
    const other = apply(world(), namespace, { spec: { note: 'ho' } }, { as: 'two' });
    await expect(other).rejects.toMatchObject({ reason: 'Conflict', status: 409 });
    const taken = await apply(world(), namespace, { spec: { note: 'ho' } }, { as: 'two', force: true });
    expect(taken.spec).toMatchObject({ note: 'ho' });
    expect(fieldsOf(taken, 'one')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect(fieldsOf(taken, 'two')).toEqual({ 'f:spec': { 'f:note': {}, 'f:size': {} } });
  });

  it('R-6.4 the conflict names the manager and the field', async () => {
    const namespace = await world().namespace();
    await apply(world(), namespace, { spec: { note: 'hi' } });
    const { json, status } = await world().raw(
      'PATCH',
      gadgetsPath(namespace, '/a?fieldManager=two'),
      gadget(namespace, 'a', { spec: { note: 'ho' } }),
      { 'content-type': 'application/apply-patch+yaml' },
    );
    expect(status).toBe(409);
    expect(json).toMatchObject({ kind: 'Status', reason: 'Conflict' });
    expect(json.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.note' },
    ]);
  });

  it('of a value that another manager set to the same is shared, and lives as long as one says it', async () => {
    const namespace = await world().namespace();
    await apply(world(), namespace, { spec: { note: 'hi' } });
    const shared = await apply(world(), namespace, { spec: { note: 'hi' } }, { as: 'two' });
    expect(fieldsOf(shared, 'one')).toEqual(fieldsOf(shared, 'two'));
    const left = await apply(world(), namespace, {});
    expect(left.spec).toMatchObject({ note: 'hi' });
    const gone = await apply(world(), namespace, {}, { as: 'two' });
    expect(gone.spec).not.toHaveProperty('note');
  });

  it('merges list maps by their key, and replaces atomic lists', async () => {
    const namespace = await world().namespace();
    await apply(world(), namespace, { spec: { ports: [{ name: 'web', port: 80 }], steps: ['a', 'b'] } });
    const second = { ports: [{ name: 'dns', port: 53 }], steps: ['c'] };
    const { spec } = await apply(world(), namespace, { spec: second }, { as: 'two', force: true });
    expect(spec).toMatchObject({
      ports: [
        { name: 'web', port: 80, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'TCP' },
      ],
      steps: ['c'],
    });
  });

  it('gives a field that an update changed to who changed it', async () => {
    const namespace = await world().namespace();
    const applied = await apply(world(), namespace, { spec: { note: 'hi' } });
    const body = { type: 'merge' as const, patch: { spec: { note: 'ho' } } };
    const patched = await world().api.patch(Gadgets, nameOf(applied), body, { fieldManager: 'editor' });
    expect(fieldsOf(patched, 'one')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect(fieldsOf(patched, 'editor', 'Update')).toEqual({ 'f:spec': { 'f:note': {} } });
    await expect(apply(world(), namespace, { spec: { note: 'hi' } })).rejects.toMatchObject({ reason: 'Conflict' });
  });

  it('R-1.12 with the version that was read goes through, with an older one it is a Conflict', async () => {
    const namespace = await world().namespace();
    const first = await apply(world(), namespace, {});
    const { uid, resourceVersion } = first.metadata;
    const metadata = { uid, resourceVersion };
    const second = await apply(world(), namespace, { metadata, spec: { note: 'hi' } });
    expect(second.spec).toMatchObject({ note: 'hi' });
    const third = apply(world(), namespace, { metadata, spec: { note: 'ho' } });
    await expect(third).rejects.toMatchObject({ reason: 'Conflict' });
  });

  it('R-1.21 with a UID never creates, and with its version never reaches an object that was created again', async () => {
    const namespace = await world().namespace();
    const first = await apply(world(), namespace, {});
    const { uid, resourceVersion } = first.metadata;
    await world().api.delete(Gadgets, nameOf(first), { preconditions: { uid } });
    const late = (metadata: NonNullable<GadgetFields['metadata']>) => apply(world(), namespace, { metadata });
    await expect(late({ uid, resourceVersion })).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(late({ uid })).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(world().api.get(Gadgets, nameOf(first))).rejects.toMatchObject({ reason: 'NotFound' });
    await world().createGadget(namespace, 'a');
    await expect(late({ uid, resourceVersion })).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(late({ uid })).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('R-1.21 with a version but no UID does create what is absent', async () => {
    const namespace = await world().namespace();
    const first = await apply(world(), namespace, {});
    const { uid, resourceVersion } = first.metadata;
    await world().api.delete(Gadgets, nameOf(first), { preconditions: { uid } });
    const second = await apply(world(), namespace, { metadata: { resourceVersion } });
    expect(second.metadata.uid).not.toBe(uid);
  });

  it('of the status has an entry of its own, and drops what is not status', async () => {
    const namespace = await world().namespace();
    const created = await apply(world(), namespace, {});
    const { apiVersion, kind, metadata } = gadget(namespace, 'a');
    const patch = {
      apiVersion,
      kind,
      metadata,
      status: { phase: 'Ready', conditions: [{ type: 'A', status: 'True' }] },
    };
    const applied = await world().api.patch(
      Gadgets,
      nameOf(created),
      { type: 'apply', patch, force: false },
      { fieldManager: 'one', subresource: 'status' },
    );
    expect(applied).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 }, status: { phase: 'Ready' } });
    expect(applied.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } },
      {
        manager: 'one',
        operation: 'Apply',
        subresource: 'status',
        fieldsV1: {
          'f:status': {
            'f:conditions': { 'k:{"type":"A"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
            'f:phase': {},
          },
        },
      },
    ]);
  });

  it('is validated', async () => {
    const namespace = await world().namespace();
    await expect(apply(world(), namespace, { spec: { size: 11 } })).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('with managedFields, or without a manager, is a BadRequest', async () => {
    const namespace = await world().namespace();
    const managedFields = [{ manager: 'x', operation: 'Update' }];
    await expect(apply(world(), namespace, { metadata: { managedFields } })).rejects.toMatchObject({
      reason: 'BadRequest',
    });
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const nameless = await world().raw('PATCH', gadgetsPath(namespace, '/a'), gadget(namespace, 'a'), headers);
    expect(nameless.status).toBe(422);
  });

  it('of a name other than that of the path is refused', async () => {
    const namespace = await world().namespace();
    const patching = world().api.patch(
      Gadgets,
      { namespace, name: 'b' },
      { type: 'apply', patch: gadget(namespace, 'a'), force: false },
      manager,
    );
    await expect(patching).rejects.toMatchObject({ reason: expect.stringMatching(/^(BadRequest|Invalid)$/) });
  });

  it('in a namespace that does not exist is NotFound', async () => {
    await expect(apply(world(), 'no-such-namespace', {})).rejects.toMatchObject({
      reason: 'NotFound',
      message: expect.stringContaining('the namespace no-such-namespace does not exist'),
    });
  });

  it('of a built-in kind works the same', async () => {
    const namespace = await world().namespace();
    const applyData = (data: Record<string, string>, as: string) =>
      world().api.patch(
        ConfigMaps,
        { namespace, name: 'a' },
        { type: 'apply', patch: configMap(namespace, 'a', { data }), force: false },
        { fieldManager: as },
      );
    await applyData({ a: '1', b: '2' }, 'one');
    await applyData({ c: '3' }, 'two');
    const applied = await applyData({ a: '1' }, 'one');
    expect(applied.data).toEqual({ a: '1', c: '3' });
    await expect(applyData({ c: '4' }, 'one')).rejects.toMatchObject({ reason: 'Conflict' });
  });

  it('R-1.4 after a create needs its entry changed to Apply, so that dropped fields are removed', async () => {
    const namespace = await world().namespace();
    const created = await world().createGadget(namespace, 'a', { spec: { note: 'hi', options: { a: '1' } } });
    const entry = created.metadata.managedFields?.[0];
    const migrate = [
      { op: 'test', path: '/metadata/resourceVersion', value: created.metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: [{ ...entry, operation: 'Apply' }] as never },
    ];
    const migrated = await world().api.patch(Gadgets, nameOf(created), { type: 'json', patch: migrate }, manager);
    expect(fieldsOf(migrated, manager.fieldManager)).toMatchObject({ 'f:spec': { 'f:note': {} } });
    const applied = await apply(world(), namespace, {}, { as: manager.fieldManager });
    expect(applied.spec).toEqual({ size: 1, limit: 10, color: 'blue' });
  });
});
