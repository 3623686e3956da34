import { T4Fixture } from './t4-fixture.ts';
import { describeWorkspaceEnd } from './workspace-end.suite.ts';

describeWorkspaceEnd('the embedded API server', () => T4Fixture.embedded());
