import { describe, expect, it } from 'vitest';
import { drawPlan, type SimulationPlan } from '../../../lib/testing/simulation/plan.ts';
import { shrink } from '../../../lib/testing/simulation/shrink.ts';
import { WorkloadError } from '../../../lib/testing/simulation/telling-errors.ts';

const PLAN = drawPlan(3, { actions: [['edits', 'deletes', 'creates']] });

describe('shrink', () => {
  it('keeps what the failure takes, and little else', async () => {
    const needed = PLAN.actions[17];
    const kind = PLAN.disturbances[0]?.kind;
    const attempt = async ({ actions, disturbances, skippedFaults }: SimulationPlan) => ({
      fails:
        actions.some((action) => action === needed) &&
        disturbances.some((disturbance) => disturbance.kind === kind) &&
        !skippedFaults.includes(4),
      faults: 9,
    });
    const smallest = await shrink(PLAN, attempt);
    expect(smallest.actions).toEqual([needed]);
    expect(smallest.disturbances.map((disturbance) => disturbance.kind)).toEqual([kind]);
    expect([...smallest.skippedFaults].sort()).toEqual([0, 1, 2, 3, 5, 6, 7, 8]);
    expect(smallest.rates).toEqual({});
    expect(smallest).toMatchObject({ seed: 3, workers: 1, relays: 1, sweeps: 1, resync: false });
  });

  it('leaves a plan as it is when nothing smaller fails', async () => {
    const isWhole = (plan: SimulationPlan) => JSON.stringify(plan) === JSON.stringify(PLAN);
    const smallest = await shrink(PLAN, async (plan) => ({ fails: isWhole(plan), faults: 0 }));
    expect(smallest).toEqual(PLAN);
  });
});

describe('shrink of what rests on other actions', () => {
  it('keeps the actions without which the workload throws, and ends with any other error', async () => {
    const attempt = async ({ actions }: SimulationPlan) => {
      if (actions.length < 5) throw new WorkloadError("seed 3, action 'edits'", new Error('nothing is there'));
      return { fails: true, faults: 0 };
    };
    expect((await shrink(PLAN, attempt)).actions).toHaveLength(5);
    const breaks = async () => {
      throw new Error('broken');
    };
    await expect(shrink(PLAN, breaks)).rejects.toThrow('broken');
  });
});

describe('drawPlan', () => {
  it('a seed decides everything', () => {
    const options = { actions: [['edits', 'deletes', 'creates']] };
    expect(drawPlan(5, options)).toEqual(drawPlan(5, options));
    expect(drawPlan(5, options)).not.toEqual(drawPlan(6, options));
  });

  it('leaves out the faults that it is told to, and changes nothing else by it', () => {
    const options = { actions: [['edits']] };
    const seeds = Array.from({ length: 40 }, (_, seed) => seed);
    const withCrashes = seeds.map((seed) => drawPlan(seed, options)).filter(({ rates }) => rates.crash !== undefined);
    expect(withCrashes.length).toBeGreaterThan(0);
    for (const { seed, actions } of withCrashes) {
      const without = drawPlan(seed, { ...options, without: ['crash'] });
      expect(without.rates.crash).toBeUndefined();
      expect(without.disturbances.filter(({ kind }) => kind === 'crash')).toEqual([]);
      expect(without.actions).toEqual(actions);
    }
  });
});
