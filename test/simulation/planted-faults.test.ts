import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSimulationPage, simulationPage, untoldFaults } from './page/simulation-page.ts';
import { catchFault, runHeldTestsApart } from './planted/catch-fault.ts';
import { readCaughtFaults } from './planted/caught-faults.ts';
import { PLANTED_FAULTS } from './planted/planted-faults.ts';
import { plantedSources } from './planted/planted-sources.ts';

/** Seeds that the unchanged engine passes in CI. The seed that is known to catch a fault comes first. */
const FIRST = Array.from({ length: 900 }, (_, index) => index + 1);
/**
 * How many of these seeds are tried for a fault that its seed does not catch any more. A longer search is not a part of
 * a build.
 */
const TRIED = 60;

/** Faults that nothing is known to catch are listed in docs/simulation.md. */
const CAUGHT = PLANTED_FAULTS.filter(({ name }) => readCaughtFaults()[name] !== undefined);
const IN_HISTORIES = CAUGHT.filter(({ unseen }) => unseen === undefined);
const BY_TESTS = CAUGHT.filter(({ unseen }) => unseen !== undefined);

describe('planted faults', () => {
  it('at least 25 are caught, and each has a name of its own', () => {
    expect(new Set(PLANTED_FAULTS.map(({ name }) => name)).size).toBe(PLANTED_FAULTS.length);
    expect(CAUGHT.length).toBeGreaterThanOrEqual(25);
  });

  it.each(PLANTED_FAULTS)('R-5.5 can be planted: $name', (fault) => {
    expect(plantedSources(fault).size).toBeGreaterThan(0);
  });

  it('docs/simulation.md tells what catches which (npm run sim:planted writes it), and of every kind of fault', () => {
    const page = readSimulationPage();
    expect(page).toBe(simulationPage(page));
    expect(untoldFaults(page)).toEqual([]);
  });

  it('what the engine once had, or no history shows, is held by a test of its own', () => {
    const sources = globSync('test/**/*.ts').map((file) => [file, readFileSync(file, 'utf8')] as const);
    for (const { name, heldBy, unseen } of PLANTED_FAULTS) {
      if (heldBy === undefined) expect({ name, unseen }).toEqual({ name, unseen: undefined });
      const [, text = ''] = sources.find(([file]) => file === heldBy?.file) ?? [];
      expect(text).toContain(heldBy?.test ?? '');
    }
  });

  it.concurrent.each(IN_HISTORIES)('R-5.5 is caught: $name', async (fault) => {
    const known = readCaughtFaults()[fault.name]?.seed;
    const caught = await catchFault(fault, [...(typeof known === 'number' ? [known] : []), ...FIRST], TRIED);
    const instead = caught === undefined ? 'nothing failed' : `what failed is ${caught.invariant}`;
    const searched = known === 'scenario' ? 'its scenario' : `seed ${known} nor by the first ${TRIED} that may show it`;
    const message = `no longer caught by ${searched} (${instead}): run npm run sim:planted -- --only '${fault.name}'`;
    expect(fault.expected, message).toContain(caught?.invariant);
  });

  describe('that no history shows', () => {
    let outcomes: ReturnType<typeof runHeldTestsApart> | undefined;

    it.each(BY_TESTS)('R-5.5 makes its test fail: $name', async ({ name }) => {
      outcomes ??= runHeldTestsApart(BY_TESTS.map((fault) => fault.name));
      expect((await outcomes).get(name)).toBe('failed');
    });
  });
});
