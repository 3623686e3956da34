import { describe, expect, it } from 'vitest';
import { quietPlan } from '../../../lib/testing/simulation/plan.ts';
import { runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import { simulate } from '../../../lib/testing/simulation/simulate.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const WIDGET = { namespace: 'default', name: 'one' };

const widgets: Workload = {
  controllers: [widgetController()],
  definitions: [WIDGET_DEFINITION],
  actions: {
    writes: (user) => user.put(Widgets, { metadata: WIDGET, spec: { size: user.number(100) } }),
  },
};
const plan = quietPlan(12, { actions: [{ atMs: 1_000, workload: 0, action: 'writes', seed: 1 }] });

const thrown = new TypeError('no such thing');
const breaks = () => {
  throw thrown;
};
const rejects = async () => breaks();

describe('a workload that throws', () => {
  it.each<[string, Partial<Workload>]>([
    ["action 'writes'", { actions: { writes: rejects } }],
    ["action 'writes'", { actions: { writes: breaks } }],
    ['prepare', { prepare: rejects }],
    ['settle', { settle: rejects }],
    ['lastChange', { lastChange: rejects }],
    ['check', { check: breaks }],
    ['restless', { restless: breaks }],
    ['finalized', { finalized: breaks, controllers: [deleting()], lastChange: (user) => user.remove(Widgets, WIDGET) }],
    ['evidence', { evidence: breaks }],
    ['controllers', { controllers: breaks }],
  ])('R-6.6 is reported with its seed, its name and the function that threw: %s', async (what, parts) => {
    const run = runPlan(plan, [{ ...widgets, ...parts }], { names: ['mine'] });
    await expect(run).rejects.toMatchObject({
      message: `seed 12, workload mine, ${what} threw: no such thing`,
      cause: thrown,
    });
  });

  it('R-6.6 is no failure of the controllers, when the action is done in the middle of a pass', async () => {
    let writes = 0;
    const action: Workload['actions'][string] = async (user) => {
      writes += 1;
      if (writes > 1) throw thrown;
      await widgets.actions.writes?.(user);
    };
    const meddling = quietPlan(12, { actions: plan.actions, rates: { meddle: 1 } });
    const run = runPlan(meddling, [{ ...widgets, actions: { writes: action } }]);
    await expect(run).rejects.toThrow("seed 12, action 'writes' threw: no such thing");
  });

  it('R-6.6 a class may be one', async () => {
    class Mine implements Workload {
      readonly controllers = widgets.controllers;
      readonly definitions = widgets.definitions;
      readonly actions = widgets.actions;
      readonly faults: string[] = ['this is not as it should be'];
      check() {
        return this.faults;
      }
    }
    const { violations } = await runPlan(plan, [new Mine()]);
    expect(violations[0]?.what).toBe('this is not as it should be');
  });

  it('R-6.6 a refused CRD is reported with the reason of the server', async () => {
    const definition = { ...WIDGET_DEFINITION, spec: { ...WIDGET_DEFINITION.spec, scope: 'Everywhere' } };
    const run = simulate({ ...widgets, definitions: [definition] });
    await expect(run).rejects.toThrow(/^the CRD widgets\.test\.evenkeel\.dev was answered with 4\d\d: .*scope/);
  });
});

function deleting() {
  return widgetController({
    finalizer: 'test.evenkeel.dev/widget',
    reconcile: async () => ({ outcome: { type: 'settled' } }),
    finalize: async () => ({ done: true }),
  });
}
