import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSimulationPage, simulationPage, untoldFaults } from './page/simulation-page.ts';
import { catchFault } from './planted/catch-fault.ts';
import { readCaughtFaults } from './planted/caught-faults.ts';
import { PLANTED_FAULTS } from './planted/planted-faults.ts';

/** Seeds that the unchanged engine passes in CI. The one that is known to catch a fault comes first. */
const TRIED = Array.from({ length: 1_000 }, (_, index) => index + 1);

/** Those that no seed is known to catch are told as such in docs/simulation.md. */
const CAUGHT = PLANTED_FAULTS.filter(({ name }) => readCaughtFaults()[name] !== undefined);

describe('planted faults', () => {
  it('at least 25 are caught, each has a name of its own, and each can be planted', () => {
    expect(new Set(PLANTED_FAULTS.map(({ name }) => name)).size).toBe(PLANTED_FAULTS.length);
    expect(CAUGHT.length).toBeGreaterThanOrEqual(25);
    for (const { file, find } of PLANTED_FAULTS.flatMap((fault) => [fault, ...(fault.also ?? [])]))
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  });

  it('docs/simulation.md tells which seed catches which (npm run sim:planted writes it), and of every kind of fault', () => {
    const page = readSimulationPage();
    expect(page).toBe(simulationPage(page));
    expect(untoldFaults(page)).toEqual([]);
  });

  it('what the engine once had is held by a test of its own', () => {
    const sources = globSync('test/**/*.ts').map((file) => [file, readFileSync(file, 'utf8')] as const);
    for (const { heldBy } of PLANTED_FAULTS) {
      if (heldBy === undefined) continue;
      const [, text = ''] = sources.find(([file]) => file === heldBy.file) ?? [];
      expect(text).toContain(heldBy.test);
    }
  });

  it.concurrent.each(CAUGHT)('R-5.5 is caught: $name', async (fault) => {
    const known = readCaughtFaults()[fault.name]?.seed;
    const caught = await catchFault(fault, [...(typeof known === 'number' ? [known] : []), ...TRIED]);
    expect(fault.expected).toContain(caught?.invariant);
  });
});
