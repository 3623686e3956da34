import type { CommandDefinition } from './command.ts';
import { CONTROLLERS_OPTION } from './connection-options.ts';

/** The commands for authors of controllers. */
export const AUTHOR_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'manifests',
    summary: 'Write the CRDs and roles that controllers of your own need in a cluster.',
    operands: [],
    options: {
      controllers: {
        value: 'FILE',
        many: true,
        about: 'Use the controllers of this module (docs/writing-a-controller.md).',
      },
      out: { value: 'DIR', about: 'Write the files to this folder.' },
      namespaces: { value: 'NAMES', many: true, about: 'Bind the roles in these namespaces only.' },
      argocd: { about: 'Write the health checks that Argo CD needs for these kinds, too.' },
      check: { about: 'Only compare: exit with 1 when a file of the folder differs.' },
    },
    examples: [
      'evenkeel manifests --controllers controllers.ts --out deploy',
      'evenkeel manifests --controllers controllers.ts --out deploy --check',
    ],
    load: async () => (await import('./manifests.ts')).manifests,
  },
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
