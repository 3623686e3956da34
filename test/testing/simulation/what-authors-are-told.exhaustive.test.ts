import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { retry, settled } from '../../../lib/core/outcome.ts';
import { simulate } from '../../../lib/testing/simulation/simulate.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const WIDGET = { namespace: 'default', name: 'one' };

function written(controllers: Workload['controllers']): Workload {
  return {
    controllers,
    definitions: [WIDGET_DEFINITION],
    actions: {
      'writes a widget': (user) => user.put(Widgets, { metadata: WIDGET, spec: { size: user.number(100) } }),
      'deletes a widget': (user) => user.remove(Widgets, WIDGET),
    },
  };
}

const reconciled = (reconcile: Controller['reconcile']) => written([widgetController({ reconcile })]);

/** An operation that takes real time: no seed decides when it ends. */
const real = () => crypto.subtle.digest('SHA-256', new Uint8Array(4));

describe('what a simulation tells authors', { timeout: 60_000 }, () => {
  it('R-6.6 the timeline says why a pass failed, and a complaint of their own check is told as such', async () => {
    const { failure } = await simulate({
      ...reconciled(async () => {
        throw new Error('boom');
      }),
      check: (cluster) => (cluster.get(Widgets, WIDGET) === undefined ? [] : ['the widget is as it was']),
    });
    expect(failure?.timeline).toMatch(/reconcile of widgets\.test\.evenkeel\.dev default\/one throws Error: boom/);
    expect(failure?.findings.join()).toMatch(/CHECK DOES NOT HOLD \(step \d+\): the widget is as it was/);
  });

  it.each([
    ['throws', async () => Promise.reject(new RangeError('boom', { cause: new Error('inner') }))],
    ['asks for a retry', async () => ({ outcome: retry(new RangeError('boom', { cause: new Error('inner') })) })],
    [
      'throws',
      async () => {
        await Promise.resolve();
        throw new RangeError('boom', { cause: new Error('inner') });
      },
    ],
  ] as [string, Controller['reconcile']][])(
    'R-6.4 the timeline shows the error that reconcile %s whole, with the place in the source',
    async (how, reconcile) => {
      const { failure } = await simulate({
        ...reconciled(reconcile),
        check: (cluster) => (cluster.get(Widgets, WIDGET) === undefined ? [] : ['the widget is as it was']),
      });
      expect(failure?.timeline).toMatch(new RegExp(`${how}:? RangeError: boom\n`));
      expect(failure?.timeline).toMatch(
        /\n {4}RangeError: boom\n(?: {4}.*\n)*? {4} +at .*what-authors-are-told\.exhaustive\.test\.ts:\d+/,
      );
      expect(failure?.timeline).toMatch(/\n {4} +\[cause\]: Error: inner\n/);
    },
  );

  it('R-6.6 the timeline shows the answers of the API server', async () => {
    const { failure } = await simulate({
      ...reconciled(async () => ({ outcome: settled() })),
      check: (cluster) => (cluster.get(Widgets, WIDGET) === undefined ? ['the widget is gone'] : []),
    });
    expect(failure?.timeline).toMatch(/api\.get is answered with an error: NotFound: /);
  });

  it.each<[string, Workload]>([
    ['it awaits by itself', reconciled(async () => real().then(() => ({ outcome: settled() })))],
    ['never comes', reconciled(() => new Promise(() => {}))],
    [
      'a port awaits that its host reaches',
      written(({ reach }) => {
        const port = reach({ digest: real }, 'port');
        return [widgetController({ reconcile: async () => port.digest().then(() => ({ outcome: settled() })) })];
      }),
    ],
  ])('R-6.6 a controller that waits for something outside is reported: what %s', async (_, workload) => {
    const { failure } = await simulate(workload);
    expect(failure?.findings.join()).toMatch(/OUTSIDE DOES NOT HOLD .* waits for something outside of the simulation/);
  });

  it.each<[string, Partial<Controller>, RegExp]>([
    [
      'always throws',
      {
        reconcile: async () => {
          throw new TypeError('it is none');
        },
      },
      /default\/one still fails, and nothing goes wrong: TypeError: it is none/,
    ],
    [
      'returns nothing',
      { reconcile: (async () => undefined) as unknown as Controller['reconcile'] },
      /default\/one still fails, and nothing goes wrong: it returned undefined/,
    ],
    [
      'never lets go of what is deleted',
      {
        finalizer: 'test.evenkeel.dev/widget',
        reconcile: async () => ({ outcome: settled() }),
        finalize: async () => ({ done: false, outcome: settled() }),
      },
      /default\/one is still being deleted, and nothing goes wrong/,
    ],
  ])('R-6.6 a controller without progress is found without a check: one that %s', async (_, controller, told) => {
    const { failure } = await simulate(written([widgetController(controller)]));
    expect(failure?.findings.join()).toMatch(/STUCK DOES NOT HOLD/);
    expect(failure?.findings.join()).toMatch(told);
  });

  it('R-6.6 a target that a workload allows to fail or to stay is not reported', async () => {
    const kept = widgetController({
      finalizer: 'test.evenkeel.dev/widget',
      reconcile: async () => ({ outcome: settled() }),
      finalize: async () => ({ done: false, outcome: settled() }),
    });
    const staying = await simulate({ ...written([kept]), waits: () => true, seeds: 5 });
    expect(staying.failure?.findings).toBeUndefined();
    const fails = async () => {
      throw new Error('boom');
    };
    const failing = await simulate({ ...reconciled(fails), restless: () => true, seeds: 5 });
    expect(failing.failure?.findings).toBeUndefined();
  });

  const settles = reconciled(async () => ({ outcome: settled() }));
  it.each<[string, Workload, RegExp]>([
    [
      'all is refused',
      {
        ...settles,
        actions: {
          writes: (user) => user.put(Widgets, { metadata: { namespace: 'nowhere', name: 'one' }, spec: { size: 1 } }),
        },
      },
      /^no pass ran: (\d+) of \1 writes were refused, the last: NotFound: .*nowhere/,
    ],
    ['users do nothing', { ...settles, actions: {} }, /^no pass ran: users wrote nothing$/],
    [
      'there is no controller',
      { ...settles, controllers: [] },
      /^no pass ran: users wrote \d+ times, and nothing that a controller reconciles$/,
    ],
  ])('R-6.6 a simulation in which nothing was tried is no success: %s', async (_, workload, told) => {
    await expect(simulate({ ...workload, seeds: 3 })).rejects.toThrow(told);
  });

  it('R-6.6 what goes through the host is waited for', async () => {
    const workload = written(({ reach, clock }) => {
      const port = reach({ answer: async () => 42 }, 'port');
      const reconcile = async () => {
        await Promise.all([port.answer(), clock.sleep(200)]);
        return { outcome: settled() };
      };
      return [widgetController({ reconcile })];
    });
    const { failure } = await simulate({ ...workload, seeds: 10 });
    expect(failure?.findings).toBeUndefined();
  });
});
