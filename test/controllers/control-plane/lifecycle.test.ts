import { embeddedCluster } from './embedded-cluster.ts';
import { describeLifecycle } from './lifecycle.suite.ts';
import { describeReadingFaults } from './reading-faults.suite.ts';
import { describeWriteFaults } from './write-faults.suite.ts';

describeLifecycle('the embedded API server', embeddedCluster);
describeReadingFaults('the embedded API server', embeddedCluster);
describeWriteFaults('the embedded API server', embeddedCluster);
