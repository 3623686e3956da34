import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '../../functions/wake.ts';
import { InfrastructureError } from '../../lib/core/errors.ts';
import { checkAt } from '../../lib/core/outcome.ts';
import { kindId } from '../../lib/core/resource-type.ts';
import { ClusterDirectory } from '../../lib/deployment/cloud/cluster-directory.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import { World } from '../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../support/widget.ts';

const TEST_CLUSTER: Parameter = { name: '/evenkeel/prod/clusters/test', value: '{}' };

const installed: { runtime?: object } = {};
vi.mock('../../lib/deployment/wiring-cloud.ts', () => ({ cloudRuntime: async () => installed.runtime }));

let world: World;
let listed: readonly Parameter[] | Error;
let wake: SQSRecord;

/** A delayed message that has arrived, for a target in the cluster `test`. */
beforeEach(async () => {
  world = new World({
    controllers: [widgetController({ reconcile: async (_, { nowMs }) => ({ outcome: checkAt(nowMs + 60_000) }) })],
  });
  await world.install([WIDGET_DEFINITION]);
  const widget = await createWidget(world);
  const { dueAtMs = 0 } = await world.worker().handle(world.event(Widgets, widget));
  world.clock.jump(60_000);
  const { uid, namespace, name } = widget.metadata;
  const target = { cluster: 'test', kind: kindId(Widgets), uid, namespace, name };
  wake = recordOf(JSON.stringify({ v: 1, type: 'target', target, dueAtMs }), world.clock.now() - 60_000);

  const { clock, logger, metrics } = world;
  const clusters = new ClusterDirectory({
    parameters: {
      list: async () => {
        if (listed instanceof Error) throw listed;
        return [...listed];
      },
    } as never,
    path: '/evenkeel/prod/clusters',
    open: () => 'opened',
    openFaulty: () => 'faulty',
    close: async () => {},
    clock,
    logger,
    metrics,
  });
  const { store, sender, registry, wakes } = world;
  const settings = { timings: world.options.timings };
  installed.runtime = { store, sender, registry, wakes, settings, clock, logger, metrics, clusters, flush: () => {} };
});

function recordOf(body: string, sentAtMs: number): SQSRecord {
  const attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(sentAtMs) };
  return { messageId: 'm', receiptHandle: 'r', body, attributes } as SQSRecord;
}

async function eventsAfter(record: SQSRecord): Promise<number> {
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  const event: SQSEvent = { Records: [record] };
  expect(await handler(event, context)).toEqual({ batchItemFailures: [] });
  const events = world.queue('widgets');
  return (await events.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).length;
}

describe('the wake function', () => {
  it('R-1.26 sends the deadlines of a cluster that is listed', async () => {
    listed = [TEST_CLUSTER];
    expect(await eventsAfter(wake)).toBe(1);
  });

  it('R-5.4 drops the wakes of a cluster whose parameter was removed', async () => {
    listed = [];
    expect(await eventsAfter(wake)).toBe(0);
  });

  it('R-1.26 knows a cluster that was added after it had read the list', async () => {
    listed = [];
    expect(await eventsAfter(wake)).toBe(0);
    listed = [TEST_CLUSTER];
    await world.clock.advance(10_000);
    expect(await eventsAfter(recordOf(wake.body, world.clock.now()))).toBe(1);
  });

  it('R-1.26 sends all deadlines while the list could not be read once', async () => {
    listed = new InfrastructureError('no answer');
    expect(await eventsAfter(wake)).toBe(1);
  });

  it('R-1.26 sends the deadlines of a cluster of which the list is in doubt', async () => {
    listed = [];
    expect(await eventsAfter(wake)).toBe(0);
    listed = new InfrastructureError('no answer');
    await world.clock.advance(10_000);
    expect(await eventsAfter(recordOf(wake.body, world.clock.now()))).toBe(1);
  });
});
