import { describe, expect, it } from 'vitest';
import { quietPlan } from '../../../lib/testing/simulation/plan.ts';
import { runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WIDGET_DEFINITION, widgetController } from '../../support/widget.ts';

describe('the last change of a simulated run', () => {
  it('R-5.5 simulator settles a workload after its last change when an action leaves what only users repair', async () => {
    let isSpoilt = false;
    const workload: Workload = {
      controllers: [widgetController()],
      definitions: [WIDGET_DEFINITION],
      actions: {
        spoils: async () => {
          isSpoilt = true;
        },
      },
      settle: async () => {
        isSpoilt = false;
      },
      check: () => (isSpoilt ? ['what a user spoilt is still there'] : []),
    };
    const { violations, trace } = await runPlan(quietPlan(1), [workload], { keepTrace: true });
    expect(violations).toEqual([]);
    expect(trace.filter(({ what }) => what === 'does: spoils')).toHaveLength(1);
  });
});
