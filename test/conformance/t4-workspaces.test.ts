import { afterAll, beforeAll } from 'vitest';
import { describeWorkspaceEnd } from '../controllers/t4/workspace-end.suite.ts';
import { T4OnRealServer } from './t4-on-real-server.ts';

let real: T4OnRealServer;
beforeAll(async () => {
  real = await T4OnRealServer.connect();
});
afterAll(async () => {
  await real.disconnect();
});

describeWorkspaceEnd(
  'the real API server',
  () => real.newFixture(),
  (t4) => real.dispose(t4),
);
