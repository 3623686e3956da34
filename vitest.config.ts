import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Files that try every point of something, or thousands of objects: minutes, for a build server. */
const EXHAUSTIVE = 'test/**/*.exhaustive.test.ts';

/** They replace modules, so each needs modules of its own. */
const REPLACE_MODULES = ['test/functions/**/*.test.ts', 'test/deployment/handlers/lambda-handler.test.ts'];

/** One project per weight of test, least powerful first: what each may touch is in CONTRIBUTING.md. */
export default defineConfig({
  // The examples import the package by its name, as an author does.
  resolve: {
    alias: [
      { find: /^evenkeel$/, replacement: fileURLToPath(new URL('lib/index.ts', import.meta.url)) },
      { find: /^evenkeel\/testing$/, replacement: fileURLToPath(new URL('lib/testing/index.ts', import.meta.url)) },
    ],
  },
  test: {
    pool: 'forks',
    // One more than there are cores: some files wait for servers most of the time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: { name: 'architecture', include: ['test/architecture/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          // Loading the modules again for each file would take longer than the tests.
          isolate: false,
          exclude: [
            EXHAUSTIVE,
            ...REPLACE_MODULES,
            'test/contract/**',
            'test/e2e/**',
            'test/console/**',
            'test/conformance/**',
            'test/simulation/**',
            'test/deploy/**',
            'test/keycloak/**',
            'test/architecture/**',
            'node_modules/**',
          ],
          // For what hangs: a busy machine takes ten times as long as an idle one.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: REPLACE_MODULES, testTimeout: 60_000 },
      },
      {
        extends: true,
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], isolate: false, testTimeout: 60_000 },
      },
      {
        extends: true,
        // Limits for what hangs: nothing is waited for by time.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [EXHAUSTIVE],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: { name: 'exhaustive', include: [EXHAUSTIVE], testTimeout: 300_000, hookTimeout: 300_000 },
      },
      {
        extends: true,
        // Needs a Chromium.
        test: { name: 'console', include: ['test/console/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/real-apiserver/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'keycloak',
          include: ['test/keycloak/**/*.test.ts'],
          testTimeout: 120_000,
          // The first run fetches it.
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'deploy',
          include: ['test/deploy/**/*.test.ts'],
          // For what hangs: to package three stages takes a busy machine more than five minutes.
          testTimeout: 900_000,
          hookTimeout: 900_000,
          // Two control planes and an emulator of AWS at once are enough.
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          exclude: [EXHAUSTIVE],
          testTimeout: 600_000,
        },
      },
    ],
  },
});
