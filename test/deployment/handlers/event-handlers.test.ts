import { describe, expect, it } from 'vitest';
import { messageGroupId } from '../../../lib/core/target.ts';
import { EventHandlers } from '../../../lib/deployment/handlers/event-handlers.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

async function setUp(isDoubtful: boolean) {
  const world = new World({ controllers: [widgetController()] });
  await world.install([WIDGET_DEFINITION]);
  const queue = world.queue('widgets');
  const { clock, logger, metrics, registry } = world;
  const runtime = {
    registry,
    queues: { widgets: { events: queue, resync: world.queue('widgets', 'resync') } },
    settings: defaultSettings(),
    clock,
    logger,
    metrics,
    clusters: { get: () => undefined, isDoubtful: () => isDoubtful },
  };
  const event = { ...world.event(Widgets, await createWidget(world)), cluster: 'north' };
  await queue.send([{ body: JSON.stringify(event), messageGroupId: messageGroupId(event), deduplicationId: 'one' }]);
  const messages = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
  const handlers = new EventHandlers(runtime as never, 'widgets');
  return {
    world,
    messages,
    result: await handlers.batchRunner('events').run(messages, clock.now() + 30_000),
    handlers,
  };
}

describe('EventHandlers', () => {
  it('R-5.4 a message of a cluster that is not listed is a dead letter with its reason', async () => {
    const { world, result } = await setUp(false);
    expect(result.failedMessageIds).toEqual([]);
    expect(world.metrics.total('DeadLetter', { Reason: 'Unknown' })).toBe(1);
  });

  it('R-5.4 while the list is in doubt the message comes again', async () => {
    const { world, messages, result } = await setUp(true);
    expect(result.failedMessageIds).toEqual(messages.map(({ messageId }) => messageId));
    expect(world.metrics.total('DeadLetter')).toBe(0);
  });

  it('R-6.4 a function without a queue says what to do', async () => {
    const { world } = await setUp(false);
    const handlers = new EventHandlers({ ...world, queues: {}, settings: defaultSettings() } as never, 'widgets');
    expect(() => handlers.batchRunner('events')).toThrow('this function has no queue of widgets. Deploy again.');
  });
});
