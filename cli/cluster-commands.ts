import type { CommandDefinition, OptionDefinition } from './command.ts';
import { CLUSTER_OPTIONS } from './connection-options.ts';

const SHARED: Readonly<Record<string, OptionDefinition>> = {
  stage: { value: 'STAGE', about: 'Use the cloud deployment of this stage, with the usual AWS settings.' },
  yes: { short: 'y', about: 'Ask nothing; carry the steps out.' },
  'dry-run': { about: 'Only show the steps.' },
};

/** The commands that change which clusters a stage reconciles. */
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
    options: SHARED,
    examples: ['evenkeel cluster remove east --stage prod'],
    load: async () => (await import('./cluster.ts')).clusterRemove,
  },
];
