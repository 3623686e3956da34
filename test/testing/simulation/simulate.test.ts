import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { simulate } from '../../../lib/testing/simulation/simulate.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const SECRET = { namespace: 'default', name: 'source' };
const WIDGET = { namespace: 'default', name: 'one' };

/** Widgets say which version of a Secret they saw. */
function watching(reconcile: Controller['reconcile']): Workload {
  return {
    controllers: [widgetController({ reconcile })],
    definitions: [WIDGET_DEFINITION],
    actions: {
      'writes a widget': (user) => user.put(Widgets, { metadata: WIDGET, spec: { size: user.number(100) } }),
      'writes the secret': (user) =>
        user.put(Secrets, { metadata: SECRET, stringData: { value: String(user.number(1_000)) } }),
    },
    check: (cluster) => {
      const wanted = cluster.get(Secrets, SECRET)?.metadata.resourceVersion ?? 'absent';
      const widget = cluster.get(Widgets, WIDGET);
      const seen = (widget?.status as { secret?: string } | undefined)?.secret;
      return widget === undefined || seen === wanted ? [] : [`the widget saw ${seen} instead of ${wanted}`];
    },
  };
}

const reads = watching(async (_, context) => {
  const secret = await context.get(Secrets, SECRET);
  return { outcome: settled(), status: { secret: secret?.metadata.resourceVersion ?? 'absent' } };
});

/** Each process remembers what it read once, as one with a cache does. */
const remembers: Workload = {
  ...reads,
  controllers: () => {
    let remembered: string | undefined;
    return [
      widgetController({
        reconcile: async (_, context) => {
          remembered ??= (await context.get(Secrets, SECRET))?.metadata.resourceVersion;
          return { outcome: settled(), status: { secret: remembered ?? 'absent' } };
        },
      }),
    ];
  },
};

describe('simulate', () => {
  it('R-6.6 a right controller passes with all kinds of faults', { timeout: 60_000 }, async () => {
    const report = await simulate({ ...reads, seeds: 15 });
    expect(report.failure?.timeline).toBeUndefined();
    expect(report.seeds).toBe(15);
    expect(report.figures.passes).toBeGreaterThan(50);
    expect(report.figures.faults).toBeGreaterThan(15);
  });

  it('R-6.6 a wrong controller is found, and reported with the shortest timeline that shows it', {
    timeout: 120_000,
  }, async () => {
    const { failure, seeds } = await simulate({ ...remembers, seeds: 15 });
    expect(seeds).toBeLessThan(15);
    expect(failure?.findings.join()).toMatch(/the widget saw \S+ instead of \S+/);
    expect(failure?.timeline).toMatch(/user +edits secrets default\/source/);
    expect(failure?.timeline).toMatch(/\*\*\* +CHECK DOES NOT HOLD/);
    expect(failure?.timeline.match(/does: /g)?.length).toBeLessThanOrEqual(6);
  });

  it('R-6.6 a history that is cut short has no users and no faults after its end', { timeout: 60_000 }, async () => {
    for (const maxSteps of [0, 200]) {
      const { failure } = await simulate({ ...reads, seeds: 15, maxSteps });
      expect(failure?.timeline).toBeUndefined();
    }
  });

  it('R-6.6 faults can be left out', { timeout: 60_000 }, async () => {
    const { figures } = await simulate({ ...reads, seeds: 8, without: ['crash', 'fail', 'lose', 'meddle'] });
    expect(figures.crashes).toBe(0);
  });
});
