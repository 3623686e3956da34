import { embeddedTarget } from './relay-faults/embedded-target.ts';
import { describeRelayFaults, OTHER_FAULTS } from './relay-faults.suite.ts';

describeRelayFaults('a relay that recovers on the embedded API server', embeddedTarget, OTHER_FAULTS);
