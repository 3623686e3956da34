import type { CommandDefinition, OptionDefinition } from './command.ts';
import { CLUSTER_OPTIONS, OUTPUT } from './connection-options.ts';

const STAGE: OptionDefinition = {
  value: 'STAGE',
  about: 'Use the cloud deployment of this stage, with the usual AWS settings.',
};
const SHARED: Readonly<Record<string, OptionDefinition>> = {
  stage: STAGE,
  yes: { short: 'y', about: 'Ask nothing; carry the steps out.' },
  'dry-run': { about: 'Only show the steps.' },
};

/** The commands that show and change which clusters a stage reconciles. */
export const CLUSTER_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'cluster add',
    summary: 'Register a cluster in a cloud deployment: CRDs, roles, access, parameter.',
    operands: ['NAME'],
    options: {
      ...CLUSTER_OPTIONS,
      ...SHARED,
      eks: { value: 'CLUSTER', about: 'Give access by IAM, to the EKS cluster of this name. By default by tokens.' },
      'eks-region': {
        value: 'REGION',
        about: 'Look for that EKS cluster in this region (default: that of the stage).',
      },
      'token-lifetime': { value: 'DURATION', about: 'Ask for tokens that are valid this long (default 8760h).' },
      'secrets-key': { value: 'ARN', about: 'Encrypt new secrets with this key (default: the key of AWS).' },
    },
    examples: [
      'evenkeel cluster add east --context east-admin --stage prod',
      'evenkeel cluster add east --context east-admin --stage prod --eks shop-east --yes',
    ],
    load: async () => (await import('./cluster.ts')).clusterAdd,
  },
  {
    name: 'cluster remove',
    summary: 'Take a cluster out of a cloud deployment: access and parameter.',
    operands: ['NAME'],
    options: {
      ...SHARED,
      forgo: { about: 'Also forget which finalizers and Leases the cluster has.' },
    },
    examples: ['evenkeel cluster remove east --stage prod', 'evenkeel cluster remove gone --stage prod --forgo'],
    load: async () => (await import('./cluster.ts')).clusterRemove,
  },
  {
    name: 'cluster list',
    summary: 'List the clusters of a cloud deployment with their versions and who drives them.',
    operands: [],
    options: { stage: STAGE, output: OUTPUT },
    examples: ['evenkeel cluster list --stage prod', 'evenkeel cluster list --stage prod -o json'],
    load: async () => (await import('./cluster-list.ts')).clusterList,
  },
];
