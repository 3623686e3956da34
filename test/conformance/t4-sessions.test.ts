import { afterAll, beforeAll } from 'vitest';
import { describeSessionChecks } from '../controllers/t4/session-checks.suite.ts';
import { describeUnreadDependencies } from '../controllers/t4/unread-dependencies.suite.ts';
import { T4OnRealServer } from './t4-on-real-server.ts';

let real: T4OnRealServer;
beforeAll(async () => {
  real = await T4OnRealServer.connect();
});
afterAll(async () => {
  await real.disconnect();
});

describeSessionChecks(
  'the real API server',
  () => real.newFixture(),
  (t4) => real.dispose(t4),
);
describeUnreadDependencies(
  'the real API server',
  () => real.newFixture(),
  (t4) => real.dispose(t4),
);
