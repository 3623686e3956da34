import { describeOneDeployment } from '../e2e/one-deployment.suite.ts';
import { realCluster } from './real-cluster.ts';

describeOneDeployment('two deployments on a real kube-apiserver', realCluster);
