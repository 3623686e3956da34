import { describeSessionChecks } from './session-checks.suite.ts';
import { T4Fixture } from './t4-fixture.ts';

describeSessionChecks('the embedded API server', () => T4Fixture.embedded());
