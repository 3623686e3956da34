import { beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import type { FoundTarget, StateStore } from '../../../lib/ports/state-store.ts';
import { World } from '../../../lib/testing/world.ts';
import { refusedBy } from '../../support/take-lease.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

let requests: string[];
let world: World;
let widget: KubeObject;

beforeEach(async () => {
  requests = [];
  world = new World({
    controllers: [widgetController()],
    onRequest: (_, operation, { refused = false }) => requests.push(`${operation}${refused ? ' refused' : ''}`),
  });
  await world.install([WIDGET_DEFINITION]);
  widget = await createWidget(world);
  await world.worker().handle(world.event(Widgets, widget));
});

const targetOf = ({ metadata: { uid } }: KubeObject) => ({ cluster: 'test', kind: kindId(Widgets), uid });

/** The result of an acquire that does not name the epoch of the forgotten widget. */
async function findForgotten(): Promise<FoundTarget | undefined> {
  const nowMs = world.clock.now();
  const target = { ...targetOf(widget), namespace: 'default', name: widget.metadata.name };
  const times = { nowMs, leaseUntilMs: nowMs + 30_000, latestUntilMs: nowMs + 34_000 };
  return await refusedBy(world.memory, { target, owner: 'test', attempt: 'a', ...times });
}

/** Forgets the widget, and returns the epoch that is kept. */
async function vanish(): Promise<number> {
  await world.remove(Widgets, widget);
  expect(await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }))).toMatchObject({
    end: 'forgotten',
  });
  const found = await findForgotten();
  if (found?.type !== 'forgotten') throw new Error('the widget was not forgotten');
  return found.epoch;
}

/** The world's store with another acquire. */
function storeWith(acquire: StateStore['acquire']): StateStore {
  return new Proxy<StateStore>(world.memory, {
    get: (store, name) => (name === 'acquire' ? acquire : Reflect.get(store, name, store).bind?.(store)),
  });
}

/** A store in which something happens during an acquire: the first one or a later one. */
function interruptedAt(count: number, meanwhile: () => Promise<unknown>): StateStore {
  let acquires = 0;
  return storeWith(async (request) => {
    acquires += 1;
    if (acquires === count) await meanwhile();
    return await world.memory.acquire(request);
  });
}

describe('acquireLease: a target that was forgotten', () => {
  it('R-1.25 R-5.11 a timer of a forgotten target is covered, because it was removed with the item: one refused write', async () => {
    const epoch = await vanish();
    requests.length = 0;
    const due = { ...world.event(Widgets, widget, { cause: 'due' }), epoch };
    expect(await world.worker().handle(due)).toMatchObject({ end: 'covered' });
    expect(requests).toEqual(['UpdateItem refused']);
    expect(world.memory.contents().targets).toEqual([]);
  });

  it('R-1.11 R-1.16 any other event has a pass, which continues the epochs and forgets the target again', async () => {
    const epoch = await vanish();
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ end: 'forgotten' });
    expect(await findForgotten()).toEqual({ type: 'forgotten', epoch: epoch + 1 });
    expect(world.memory.contents().targets).toEqual([]);
  });

  it('R-1.5 a worker creates no item again when it was frozen before its acquire and its message was handled by another one', async () => {
    const event = world.event(Widgets, widget, { cause: 'requested' });
    const store = interruptedAt(1, async () => {
      world.clock.jump(61_000);
      await vanish();
    });
    await expect(world.worker('worker-2', { store }).handle(event)).rejects.toThrow(InfrastructureError);
    expect(world.memory.contents().targets).toEqual([]);
  });

  it('R-1.5 a worker creates no item again when it was frozen after it read that the target was forgotten', async () => {
    await vanish();
    const event = world.event(Widgets, widget, { cause: 'requested' });
    const store = interruptedAt(2, async () => {
      world.clock.jump(61_000);
      expect(await world.worker().handle(event)).toMatchObject({ end: 'forgotten' });
    });
    await expect(world.worker('worker-2', { store }).handle(event)).rejects.toThrow(
      /the lease of widgets\S+ default\/\S+ was not taken within its 30000 ms/,
    );
    expect(world.memory.contents().targets).toEqual([]);
  });

  it('I1 two messages of a batch never hold the lease under one epoch when they are frozen in the same millisecond', async () => {
    const holds: string[] = [];
    const event = world.event(Widgets, widget, { cause: 'requested' });
    const store = storeWith(async (request) => {
      const result = await world.memory.acquire(request);
      if (result.type === 'acquired') holds.push(`${request.owner} ${result.state.epoch}`);
      return result;
    });
    await world.remove(Widgets, widget);
    const runner = world.worker('worker-1', { store });
    for (let message = 0; message < 3; message += 1) {
      expect(await runner.handle(event)).toMatchObject({ end: 'forgotten' });
    }
    expect(holds).toHaveLength(3);
    expect(new Set(holds).size).toBe(3);
  });
});
