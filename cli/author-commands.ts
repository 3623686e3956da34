import type { CommandDefinition } from './command.ts';
import { CONTROLLERS_OPTION } from './connection-options.ts';

/** The commands for authors of controllers. */
export const AUTHOR_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'container',
    summary: 'Write the files of a container image with your controllers, ready for docker build.',
    operands: [],
    options: {
      controllers: CONTROLLERS_OPTION,
      out: { value: 'DIR', about: 'Write the files to this folder. It must be new, or have such files.' },
    },
    examples: ['evenkeel container --controllers controllers.ts --out image', 'docker build image'],
    load: async () => (await import('./container.ts')).container,
  },
  {
    name: 'settings',
    summary: 'Print every setting with its default, those of your own controller groups too.',
    operands: [],
    options: {
      controllers: {
        value: 'FILE',
        many: true,
        about: 'Add the groups of this module (docs/writing-a-controller.md).',
      },
    },
    examples: ['evenkeel settings', 'evenkeel settings --controllers controllers.ts > settings.md'],
    load: async () => (await import('./settings.ts')).settings,
  },
];
