import { describe, expect, it } from 'vitest';
import { Events } from '../../../lib/core/resource-type.ts';
import { EventRecorder } from '../../../lib/engine/kube-events/event-recorder.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, widgetController } from '../../support/widget.ts';

async function setUp() {
  const world = new World({ controllers: [widgetController()] });
  await world.install([WIDGET_DEFINITION]);
  const recorder = new EventRecorder(world.clock, 'test');
  const widget = await createWidget(world);
  const record = (note: string) => {
    const happening = { type: 'Warning' as const, reason: 'KeyMissing', action: 'ReadyTurnedFalse', note };
    return recorder.record(world.api, widget, happening, new AbortController().signal);
  };
  const recorded = async () => {
    const { items } = await world.user.list(Events);
    return items.map(({ note, series }) => [note, (series as { count?: number } | undefined)?.count ?? 1]).sort();
  };
  return { world, record, recorded };
}

describe('EventRecorder', () => {
  it('R-6.5 a transition for the same reason that says something else is an Event of its own, since what one says is fixed', async () => {
    const { record, recorded } = await setUp();
    await record('Absent: user.');
    await record('Absent: password.');
    await record('Absent: user.');
    expect(await recorded()).toEqual([
      ['Absent: password.', 1],
      ['Absent: user.', 2],
    ]);
  });
});
