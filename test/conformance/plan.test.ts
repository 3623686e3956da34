import { describePlannedVersion } from '../e2e/plan.suite.ts';
import { realCluster } from './real-cluster.ts';

describePlannedVersion('a real kube-apiserver with 500 contracts', () => realCluster(), 500);
