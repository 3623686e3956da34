import { describeRollout } from '../e2e/rollout.suite.ts';
import { realCluster } from './real-cluster.ts';

describeRollout('a real kube-apiserver', () => realCluster());
