import { embeddedTarget } from './relay-faults/embedded-target.ts';
import { CONNECTION_FAULTS, describeRelayFaults } from './relay-faults.suite.ts';

describeRelayFaults('a relay in trouble on the embedded API server', embeddedTarget, CONNECTION_FAULTS);
