import type { CommandDefinition } from './command.ts';

/** The commands that write or read the CRDs of an author's kinds. */
export const DEFINITION_COMMANDS: readonly CommandDefinition[] = [
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
      flux: { about: 'Write the health checks for Flux, too.' },
      check: { about: 'Only compare: exit with 1 when a file of the folder differs.' },
      against: {
        value: 'FILE',
        about:
          'With --check, also list what the CRDs in this file allow and these do not (docs/versions-of-a-kind.md).',
      },
    },
    examples: [
      'evenkeel manifests --controllers controllers.ts --out deploy',
      'evenkeel manifests --controllers controllers.ts --out deploy --check',
      'evenkeel manifests --controllers controllers.ts --out deploy --check --against released.yaml',
    ],
    load: async () => (await import('./manifests.ts')).manifests,
  },
  {
    name: 'types',
    summary: 'Write a TypeScript module with the types and schemas of an existing CRD.',
    operands: ['FILE'],
    options: { out: { value: 'FILE', about: 'Write the module to this file (default: print it).' } },
    examples: ['evenkeel types crd.yaml', 'evenkeel types crd.yaml --out certificates.ts'],
    load: async () => (await import('./types.ts')).types,
  },
];
