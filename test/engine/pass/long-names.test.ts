import { beforeEach, describe, expect, it } from 'vitest';
import type { DependencyFacts, SkinnyEvent } from '../../../lib/core/event.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { versionNumber } from '../../../lib/core/observation.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, kindId } from '../../../lib/core/resource-type.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { encodeEvent } from '../../../lib/engine/messages/encode-event.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const NAME = 'n'.repeat(253);
const NAMESPACE = 'default';

/** The name is so long that the event has no room for it: the name of an author's kind may have 317 characters. */
function sentAndReceived(event: SkinnyEvent & DependencyFacts): SkinnyEvent {
  const kind = 'k'.repeat(317);
  const decoded = decodeEvent(encodeEvent({ ...event, kind, name: NAME }));
  if (!decoded.ok) throw new Error(decoded.detail);
  if (decoded.event.cause !== 'dependency') throw new Error('another cause was received');
  expect(decoded.event.changed.name).not.toBe(event.changed.name);
  const { name } = event;
  return { ...decoded.event, kind: event.kind, name };
}

describe('PassRunner: an event that names the changed object by the hash of its key', () => {
  let world: World;
  let widget: KubeObject;
  let read: KubeObject;
  let passes: number;
  /** Called after the pass has read the object. */
  let whileRunning: () => Promise<void>;

  beforeEach(async () => {
    passes = 0;
    whileRunning = async () => {};
    world = new World({
      controllers: [
        widgetController({
          async reconcile(_, context) {
            passes += 1;
            await context.get(ConfigMaps, { namespace: NAMESPACE, name: NAME });
            await whileRunning();
            return { outcome: settled() };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    const metadata = { namespace: NAMESPACE, name: NAME };
    read = await world.user.create(
      ConfigMaps,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata },
      { fieldManager: 'test' },
    );
    widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect(passes).toBe(1);
  });

  const changed = (version: string): SkinnyEvent => {
    const { namespace = '', name, uid } = read.metadata;
    const requested = world.event(Widgets, widget, { cause: 'requested' });
    const changed = { kind: kindId(ConfigMaps), namespace, name, uid, resourceVersion: version };
    return sentAndReceived({ ...requested, cause: 'dependency', changed });
  };
  const newer = () => String((versionNumber(read.metadata.resourceVersion) ?? 0) + 1_000);

  it('R-1.8 the event is covered when the last pass read that version', async () => {
    expect(await world.worker().handle(changed(read.metadata.resourceVersion))).toMatchObject({ end: 'covered' });
    expect(passes).toBe(1);
  });

  it('R-1.8 the event starts a pass when the last pass read an older version, and the report names the object', async () => {
    const report = await world.worker().handle(changed(newer()));
    expect(report).toMatchObject({ end: 'committed', changed: `${kindId(ConfigMaps)} ${NAMESPACE}/${NAME}` });
    expect(passes).toBe(2);
  });

  it('R-1.8 the event starts a pass when the last pass did not read the object, and the report says that the name is long', async () => {
    const name = 'A'.repeat(43);
    const event = { ...changed(newer()), cause: 'dependency', changed: { kind: '#', namespace: '', name } } as const;
    const report = await world.worker().handle(event);
    expect(report).toMatchObject({ end: 'committed', changed: 'an object with a long name' });
  });

  it.each([
    ['again when it reads an older version', 1_000, 2],
    ['once when it reads that version', 0, 1],
  ])('R-1.8 the event marks a running pass, which runs %s', async (_, ahead, attempts) => {
    const edited = await world.edit(ConfigMaps, read, { data: { a: '1' } });
    const version = (versionNumber(edited.metadata.resourceVersion) ?? 0) + ahead;
    whileRunning = async () => {
      whileRunning = async () => {};
      const report = await world.worker('worker-2').handle(changed(String(version)));
      expect(report.end).toBe('held');
    };
    const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(report).toMatchObject({ end: 'committed', attempts });
  });
});
