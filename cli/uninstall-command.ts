import type { CommandDefinition } from './command.ts';
import { CLUSTER_OPTIONS, CONTROLLERS_OPTION } from './connection-options.ts';

export const UNINSTALL_COMMAND: CommandDefinition = {
  name: 'uninstall',
  summary: 'Remove evenkeel from a cluster, and list what stays.',
  operands: [],
  options: {
    ...CLUSTER_OPTIONS,
    settings: { value: 'FILE', about: 'Read the settings from this file (docs/settings.md).' },
    controllers: CONTROLLERS_OPTION,
    'state-dir': { value: 'DIR', about: 'Use the installation that runs in this folder (default .evenkeel).' },
    stage: { value: 'STAGE', about: 'Record in this cloud deployment that the cluster has nothing of it any more.' },
    cluster: { value: 'NAME', about: 'The name that the cluster has in that deployment.' },
    'forgo-cleanup': { about: 'Remove finalizers without running cleanup.' },
    'dry-run': { about: 'Only print what would be removed.' },
  },
  examples: [
    'evenkeel uninstall --context staging --dry-run',
    'evenkeel uninstall --context staging --forgo-cleanup',
    'evenkeel uninstall --context east-admin --stage prod --cluster east',
  ],
  load: async () => (await import('./uninstall.ts')).uninstall,
};
