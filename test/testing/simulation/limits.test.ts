import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../../../lib/core/label-selector.ts';
import { Bounds, ELSEWHERE, SELECTIONS } from '../../../lib/testing/simulation/bounds.ts';
import { drawLimits } from '../../../lib/testing/simulation/draw-limits.ts';
import { quietPlan } from '../../../lib/testing/simulation/plan.ts';
import { runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import { shrink } from '../../../lib/testing/simulation/shrink.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const SEEDS = Array.from({ length: 1_000 }, (_, index) => index + 1);
const WIDGET = { namespace: 'default', name: 'one' };

const widgets: Workload = {
  controllers: [widgetController({})],
  definitions: [WIDGET_DEFINITION],
  namespaces: ['default'],
  actions: {
    'writes a widget': (user) => user.put(Widgets, { metadata: WIDGET, spec: { size: user.number(100) } }),
  },
};

describe('the limits of a simulated installation', () => {
  it('R-6.7 are drawn by a modest share of the seeds, and each of them by some', () => {
    const drawn = SEEDS.map((seed) => drawLimits(seed, { endMs: 60_000, namespaces: ['default'] }));
    const share = (has: (limits: (typeof drawn)[number]) => boolean) => drawn.filter(has).length / drawn.length;
    expect(share(({ scope }) => scope.namespaces !== undefined)).toBeCloseTo(0.07, 1);
    expect(share(({ withdrawals }) => withdrawals.some(({ kind }) => kind === 'pause'))).toBeCloseTo(0.1, 1);
    expect(share(({ targetResyncMs }) => targetResyncMs !== undefined)).toBeCloseTo(0.1, 1);
    expect(new Set(drawn.map(({ scope }) => scope.labelSelector))).toEqual(
      new Set([undefined, ...SELECTIONS.map(({ selector }) => selector)]),
    );
  });

  it('R-6.7 leave out nothing that users could not put in, where nobody says where all of it lies', () => {
    const scopes = SEEDS.map((seed) => drawLimits(seed, { endMs: 60_000, namespaces: undefined }).scope);
    const byDefault = SELECTIONS.filter((selection) => selection.byDefault).map(({ selector }) => selector);
    expect(new Set(scopes.map(({ labelSelector }) => labelSelector))).toEqual(new Set([undefined, ...byDefault]));
    expect(scopes.every(({ namespaces }) => namespaces === undefined)).toBe(true);
  });

  it.each(SELECTIONS)('R-6.7 mean by $selector what the selector says', ({ selector, inside, outside, isInside }) => {
    const { matches } = parseLabelSelector(selector);
    for (const labels of [inside, outside, {}]) {
      const given = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== null)) as Record<
        string,
        string
      >;
      expect(matches(given)).toBe(isInside(given));
    }
    const { selection } = new Bounds({ labelSelector: selector });
    expect(selection?.selector).toBe(selector);
  });

  it('R-6.7 are kept: what users take out or pause is left alone, what lies elsewhere gets no pass', async () => {
    const actions = [1, 2, 3, 4].map((number) => ({
      atMs: number * 3_000,
      workload: 0,
      action: 'writes a widget',
      seed: number,
    }));
    const kinds = ['pause', 'unpause', 'take out', 'write aside', 'write elsewhere'] as const;
    const withdrawals = kinds.map((kind, index) => ({ atMs: 5_000 + index * 1_000, kind, seed: index * 3 }));
    const [first] = SELECTIONS;
    const scope = { namespaces: ['default'], labelSelector: first?.selector ?? '' };
    const plan = quietPlan(1, { actions, withdrawals, scope, targetResyncMs: 180_000 });
    const { violations, trace } = await runPlan(plan, [widgets], { keepTrace: true });
    expect(violations).toEqual([]);
    const told = trace.map((line) => JSON.stringify(line));
    for (const what of ['"evenkeel.dev/paused', ELSEWHERE, 'stray-one']) {
      expect(told.some((line) => line.includes(what.replaceAll('"', '\\"')))).toBe(true);
    }
  });

  it('R-6.7 are left out of a failing history that fails without them', async () => {
    const plan = quietPlan(1, {
      scope: { namespaces: ['default'] },
      targetResyncMs: 200_000,
      withdrawals: [
        { atMs: 1, kind: 'pause', seed: 1 },
        { atMs: 2, kind: 'unpause', seed: 2 },
      ],
    });
    const smallest = await shrink(plan, async ({ withdrawals }) => ({
      fails: withdrawals.some(({ kind }) => kind === 'pause'),
      faults: 0,
    }));
    expect(smallest.withdrawals).toEqual([{ atMs: 1, kind: 'pause', seed: 1 }]);
    expect(smallest.scope).toEqual({});
    expect(smallest.targetResyncMs).toBeUndefined();
  });
});
