import { describeOneDeployment } from './one-deployment.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeOneDeployment('two deployments on the embedded API server', embeddedCluster);
