import type { CommandDefinition } from './command.ts';
import { CONNECTION_OPTIONS, CONTROLLERS_OPTION } from './connection-options.ts';

const { stage, table } = CONNECTION_OPTIONS;

/** The commands that move a cluster from one installation to another. */
export const TRANSFER_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'export',
    summary: 'Write what another installation cannot find out by itself to a file.',
    operands: ['FILE'],
    options: {
      ...CONNECTION_OPTIONS,
      'state-dir': { value: 'DIR', about: 'Export the state in this folder (default .evenkeel).' },
      controllers: CONTROLLERS_OPTION,
    },
    examples: ['evenkeel export east.json', 'evenkeel export east.json --stage prod --cluster east'],
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'import',
    summary: 'Record what another installation exported, before this one drives the cluster.',
    operands: ['FILE'],
    options: {
      'state-dir': { value: 'DIR', about: 'Import into the state in this folder (default .evenkeel).' },
      ...(stage && { stage }),
      ...(table && { table }),
      cluster: { value: 'NAME', about: 'Use this name of the cluster (default: the name in the file).' },
    },
    examples: ['evenkeel import east.json --stage prod', 'evenkeel import east.json --state-dir /var/lib/evenkeel'],
    load: async () => (await import('./import.ts')).importCommand,
  },
];
