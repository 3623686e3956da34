import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { createVitest, type TestCase } from 'vitest/node';
import type { PlantedSources } from './plant.ts';
import type { PlantedFault } from './planted-fault.ts';
import { plantedSources } from './planted-sources.ts';
import { ROOT } from './source/source-tree.ts';

/** The result of the test that holds a fault, with the fault in place. */
export type HeldTest = 'failed' | 'passed' | 'did not run';

/**
 * Runs the test that holds each of these faults, with the fault planted. All tests are one run of Vitest, with a
 * project for each fault, because starting Vitest takes longer than most of these tests.
 * @returns the result of each test, by the name of the fault.
 */
export async function runHeldTests(faults: readonly PlantedFault[]): Promise<ReadonlyMap<string, HeldTest>> {
  const held = faults.flatMap(({ heldBy, ...fault }) => (heldBy === undefined ? [] : [{ fault, ...heldBy }]));
  const vitest = await createVitest(
    'test',
    { root: fileURLToPath(ROOT), config: false, watch: false, reporters: [{}] },
    {
      test: {
        projects: held.map(({ fault, file, test }) => ({
          plugins: [planting(plantedSources(fault))],
          test: {
            name: fault.name,
            include: [file],
            pool: 'forks',
            testNamePattern: patternOf(test),
            testTimeout: 60_000,
            hookTimeout: 60_000,
          },
        })),
      },
    },
  );
  try {
    const { testModules } = await vitest.start();
    return new Map(
      held.map(({ fault, test }) => {
        const cases = testModules
          .filter(({ project }) => project.name === fault.name)
          .flatMap(({ children }) => [...children.allTests()]);
        return [fault.name, outcomeOf(cases.filter(({ fullName }) => patternOf(test).test(fullName)))];
      }),
    );
  } finally {
    await vitest.close();
  }
}

function outcomeOf(cases: readonly TestCase[]): HeldTest {
  const states = new Set(cases.map((each) => each.result().state));
  if (states.has('failed')) return 'failed';
  return states.has('passed') ? 'passed' : 'did not run';
}

function planting(sources: PlantedSources): Plugin {
  const byPath = new Map([...sources].map(([url, text]) => [fileURLToPath(url), text]));
  return {
    name: 'planted-fault',
    enforce: 'pre',
    load: (id) => byPath.get(id),
    // Vitest caches modules between runs by the content of their files, and would not see the fault.
    configureVitest: ({ defineCacheKeyGenerator }) => {
      defineCacheKeyGenerator(({ id }) => (byPath.has(id) ? false : undefined));
    },
  };
}

/** A title as it is written in the sources: `%s` and `$name` are replaced by the values of a table. */
function patternOf(test: string): RegExp {
  const words = test.split(/%[a-z]|\$[\w.]+/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(words.join('.*'));
}
