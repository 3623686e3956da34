import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { settled } from '../../../lib/core/outcome.ts';
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

/** Something that takes real time: no seed decides when it is done. */
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

  it('R-6.6 the timeline says what the API server answered with', async () => {
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
  ])('R-6.6 a controller that waits for what the simulation does not know is told so: what %s', async (_, workload) => {
    const { failure } = await simulate(workload);
    expect(failure?.findings.join()).toMatch(/OUTSIDE DOES NOT HOLD .* waits for something outside of the simulation/);
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
