import { describe, expect, it } from 'vitest';
import { settled } from '../../../lib/core/outcome.ts';
import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import { type SimulateSettings, simulate } from '../../../lib/testing/simulation/simulate.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const WIDGET = { namespace: 'default', name: 'one' };

const widgets: Workload = {
  controllers: [widgetController()],
  definitions: [WIDGET_DEFINITION],
  actions: {
    'writes a widget': (user) => user.put(Widgets, { metadata: WIDGET, spec: { size: user.number(100) } }),
  },
};

/** A widget has an entry in an external system, which counts how often it was asked for: no history may see another's. */
function withRegistry(): Workload {
  const registry = new Map<string, number>();
  return {
    ...widgets,
    controllers: [
      widgetController({
        reconcile: async ({ metadata }) => {
          const { uid } = metadata;
          registry.set(uid, (registry.get(uid) ?? 0) + 1);
          return { outcome: settled(), status: { entry: uid } };
        },
      }),
    ],
    check: (cluster) => {
      const known = cluster.list(Widgets).map(({ metadata }) => metadata.uid);
      return [...registry.keys()].every((uid) => known.includes(uid)) ? [] : ['an entry is left of another history'];
    },
  };
}

describe('what is simulated', () => {
  it.each<SimulateSettings>([
    { seeds: 0 },
    { seeds: -1 },
    { seeds: Number.NaN },
    { seeds: 1.5 },
    { firstSeed: 'abc' as unknown as number },
    { firstSeed: -1 },
    { maxSteps: Number.NaN },
    { silenceMs: -1 },
    { without: ['crash', 'crashes' as FaultKind] },
  ])('R-6.6 settings are refused when they would run nothing, or not what they name: %o', async (settings) => {
    await expect(simulate({ ...widgets, ...settings })).rejects.toThrow(RangeError);
    await expect(simulate(() => widgets, settings)).rejects.toThrow(RangeError);
  });

  it('R-6.6 is created again for each history when a function makes it', async () => {
    let made = 0;
    const make = () => {
      made += 1;
      return withRegistry();
    };
    const settings: SimulateSettings = { seeds: 6, without: ['restore', 'meddle'] };
    const { failure, seeds } = await simulate(make, settings);
    expect(failure?.timeline).toBeUndefined();
    expect({ seeds, made }).toEqual({ seeds: 6, made: 6 });
    const shared = simulate({ ...withRegistry(), ...settings });
    await expect(shared.then((report) => report.failure)).resolves.toBeDefined();
  });

  it('R-6.6 is created again for the smaller histories of a failure too', async () => {
    const failing = (): Workload => {
      let histories = 0;
      return {
        ...widgets,
        prepare: async () => {
          histories += 1;
        },
        check: () => (histories === 1 ? ['this is not as it should be'] : []),
      };
    };
    const { failure } = await simulate(failing, { seeds: 1 });
    expect(failure?.findings.join()).toContain('this is not as it should be');
    await expect(simulate({ ...failing(), seeds: 1 })).rejects.toThrow('seed 1 does not replay');
  });

  it('R-6.6 is reported as using its own randomness when no failure repeats', async () => {
    let passes = 0;
    const random: Workload = {
      ...widgets,
      controllers: [
        widgetController({
          reconcile: async () => {
            passes += 1;
            return { outcome: settled(), status: { passes } };
          },
        }),
      ],
      check: (cluster) => {
        const status = cluster.get(Widgets, WIDGET)?.status;
        return status === undefined ? [] : [`the status is ${JSON.stringify(status)}`];
      },
    };
    await expect(simulate({ ...random, seeds: 3 })).rejects.toThrow(
      /^seed 1 does not replay: the controller uses a clock, randomness or state of its own/,
    );
  });
});
