import { describeRollout } from './rollout.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeRollout('the embedded API server', embeddedCluster);
