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
  const record = (note: string, words: { reason?: string; action?: string } = {}) => {
    const happening = { type: 'Warning' as const, reason: 'KeyMissing', action: 'ReadyTurnedFalse', note, ...words };
    return recorder.record(world.api, widget, happening, new AbortController().signal);
  };
  const recorded = async () => {
    const { items } = await world.user.list(Events);
    return items.map(({ note, series }) => [note, (series as { count?: number } | undefined)?.count ?? 1]).sort();
  };
  return { world, widget, record, recorded };
}

describe('EventRecorder', () => {
  it('R-6.5 a transition with the same reason and another text is a new Event, because the text of one cannot change', async () => {
    const { record, recorded } = await setUp();
    await record('Absent: user.');
    await record('Absent: password.');
    await record('Absent: user.');
    expect(await recorded()).toEqual([
      ['Absent: password.', 1],
      ['Absent: user.', 2],
    ]);
  });

  it('R-6.5 recorder counts an Event again by one request when it sent that Event before', async () => {
    const { world, record, recorded } = await setUp();
    await record('Absent: user.');
    world.server.requests.clear();
    await record('Absent: user.');
    await record('Absent: user.');
    expect(world.server.requests.find({ resource: 'events' }).map(({ verb }) => verb)).toEqual(['patch', 'patch']);
    expect(await recorded()).toEqual([['Absent: user.', 3]]);
  });

  it('R-6.5 recorder counts an Event rightly when another worker has counted it since', async () => {
    const { world, widget, record, recorded } = await setUp();
    const other = new EventRecorder(world.clock, 'test');
    const happening = { type: 'Warning', reason: 'KeyMissing', action: 'ReadyTurnedFalse', note: 'any' } as const;
    const byOther = () => other.record(world.api, widget, happening, new AbortController().signal);
    await record('any');
    await byOther();
    await record('any');
    await byOther();
    expect(await recorded()).toEqual([['any', 4]]);
  });

  it('R-6.5 recorder creates an Event again when the API server has removed it since', async () => {
    const { world, record, recorded } = await setUp();
    await record('any');
    await record('any');
    const { items } = await world.user.list(Events);
    for (const event of items) await world.remove(Events, event);
    await record('any');
    expect(await recorded()).toEqual([['any', 1]]);
  });

  it.each([
    ['500 Chinese characters', '漢'.repeat(500), '漢'.repeat(341)],
    ['an emoji across the limit', `${'x'.repeat(1_022)}😀`, 'x'.repeat(1_022)],
    ['1,100 letters with accents', 'é'.repeat(1_100), 'é'.repeat(512)],
  ])('R-1.33 R-6.5 a note has at most 1,024 bytes when it has %s', async (_, note, cut) => {
    const { record, recorded } = await setUp();
    await record(note);
    expect(await recorded()).toEqual([[cut, 1]]);
  });

  it('R-1.33 reason and action have at most 128 bytes when they are longer', async () => {
    const { world, record } = await setUp();
    await record('any', { reason: 'R'.repeat(200), action: '字'.repeat(100) });
    const { items } = await world.user.list(Events);
    expect(items).toMatchObject([{ reason: 'R'.repeat(128), action: '字'.repeat(42) }]);
  });
});
