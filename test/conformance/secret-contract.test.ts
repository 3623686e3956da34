import { describeSecretContract } from '../e2e/secret-contract.suite.ts';
import { realCluster } from './real-cluster.ts';

describeSecretContract('SecretContract on a real kube-apiserver', realCluster);
