import type { CommandDefinition } from './command.ts';
import { CLUSTER_OPTIONS, CONTROLLERS_OPTION, OUTPUT } from './connection-options.ts';

/** The commands that run controllers on a copy of a cluster. */
export const PLAN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'plan',
    summary: 'Show what controllers would change in a cluster, without writing anything.',
    operands: [],
    options: {
      ...CLUSTER_OPTIONS,
      settings: { value: 'FILE', about: 'Read the settings of the planned version from this file (docs/settings.md).' },
      controllers: { ...CONTROLLERS_OPTION, about: 'Plan the controllers of this module (docs/plan.md).' },
      'state-dir': { value: 'DIR', about: 'Read what the installation in this folder recorded (default .evenkeel).' },
      output: OUTPUT,
    },
    examples: [
      'evenkeel plan',
      'evenkeel plan --context staging --controllers next.ts',
      'evenkeel plan --context staging --settings next.yaml -o json',
    ],
    load: async () => (await import('./plan.ts')).plan,
  },
  {
    name: 'capture',
    summary: 'Save what a pass of one object reads as a file for a test, without values of Secrets.',
    operands: ['KIND/NAMESPACE/NAME'],
    options: {
      ...CLUSTER_OPTIONS,
      settings: { value: 'FILE', about: 'Read the settings from this file (docs/settings.md).' },
      controllers: CONTROLLERS_OPTION,
      'state-dir': { value: 'DIR', about: 'Read what the installation in this folder recorded (default .evenkeel).' },
      file: { value: 'FILE', about: 'Write to this file (default NAME.capture.json).' },
    },
    examples: [
      'evenkeel capture secretcontract/default/web',
      'evenkeel capture shop/default/a --file test/shop-a.json',
    ],
    load: async () => (await import('./capture.ts')).capture,
  },
];
