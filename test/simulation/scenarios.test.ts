import { describe, expect, it } from 'vitest';
import { PLANTED_FAULTS } from './planted/planted-faults.ts';
import { runScenario } from './scenario/scenario.ts';
import { SCENARIOS } from './scenario/scenarios.ts';

describe('a scenario', () => {
  it.each(Object.entries(SCENARIOS))(
    'R-5.5 the engine passes, byte for byte the same twice: %s',
    async (_, scenario) => {
      const first = await runScenario(scenario);
      expect(first.violations).toEqual([]);
      expect((await runScenario(scenario)).digest).toBe(first.digest);
    },
  );

  it('each shows a planted fault', () => {
    const told = new Set(PLANTED_FAULTS.flatMap(({ scenario }) => scenario ?? []));
    expect(new Set(Object.keys(SCENARIOS))).toEqual(told);
  });
});
