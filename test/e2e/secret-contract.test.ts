import { describeSecretContract } from './secret-contract.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeSecretContract('SecretContract on the embedded API server', embeddedCluster);
