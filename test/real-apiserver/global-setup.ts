import type { TestProject } from 'vitest/node';
import { startRealApiServer } from './real-api-server.ts';
import type {} from './shared-api-server.ts';

/** Boots one control plane before the first test file of a run and ends it after the last. */
export default async function provideApiServer(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRealApiServer();
  project.provide('realApiServer', server.address);
  return () => server.stop();
}
