import { describe, expect, it } from 'vitest';
import { retry } from '../../../lib/core/outcome.ts';
import { readHistory } from '../../../lib/core/pass-history.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

async function worldWith(parts: Parameters<typeof widgetController>[0] = {}): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)] });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

async function historyOf(world: World, uid: string) {
  const state = await world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });
  return readHistory(state?.pastPasses);
}

describe('the history that passes leave', () => {
  it('R-6.10 the item keeps each pass with its cause, delay, writes and changed fields, the newest first', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    const { uid } = widget.metadata;
    const event = world.event(Widgets, widget);
    await world.clock.advance(1_500);
    await world.worker().handle(event);
    await world.worker().handle({
      ...world.event(Widgets, widget, { cause: 'requested' }),
      ...{ by: 'ann@laptop' },
    });
    expect(await historyOf(world, uid)).toMatchObject([
      { causes: [{ cause: 'requested', detail: 'ann@laptop' }], outcome: 'settled', writeCount: 0, writes: [] },
      {
        startedAtMs: event.at + 1_500,
        queueDelayMs: 1_500,
        attempts: 1,
        moreCauses: 0,
        writeCount: 1,
        writes: [{ verb: 'status', kind: '', fields: ['seen'] }],
      },
    ]);
  });

  it('R-6.10 R-1.24 the item keeps the reason of a failed pass and never the text of the failure', async () => {
    const world = await worldWith({
      reconcile: async () => ({ outcome: retry(new ApiError('Forbidden', 'hunter2 was refused')) }),
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const [pass] = await historyOf(world, widget.metadata.uid);
    expect(pass).toMatchObject({ outcome: 'retry', reason: 'ApiForbidden' });
    const state = await world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid });
    expect(state?.pastPasses).not.toContain('hunter2');
  });
});
