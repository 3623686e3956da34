import { T4Fixture } from './t4-fixture.ts';
import { describeUnreadDependencies } from './unread-dependencies.suite.ts';

describeUnreadDependencies('the embedded API server', () => T4Fixture.embedded());
