import type { OptionDefinition } from './command.ts';

export const DEFAULT_STATE_DIRECTORY = '.evenkeel';

export const CONTROLLERS_OPTION: OptionDefinition = {
  value: 'FILE',
  many: true,
  about: 'Run the controllers of this module (docs/writing-a-controller.md).',
};

/** The options that select an installation. */
export const CONNECTION_OPTIONS: Readonly<Record<string, OptionDefinition>> = {
  'state-dir': { value: 'DIR', about: 'Use the installation that runs in this folder (default .evenkeel).' },
  stage: { value: 'STAGE', about: 'Use the cloud deployment of this stage instead, with the usual AWS settings.' },
  table: { value: 'NAME', about: 'Use this table, if the cloud deployment has a table of another name.' },
  cluster: { value: 'NAME', about: 'Use the cluster of this name (default: the only one, or local).' },
  settings: { value: 'FILE', about: 'Read the settings from this file (docs/settings.md).' },
};

export const OUTPUT: OptionDefinition = {
  value: 'FORMAT',
  short: 'o',
  choices: ['text', 'json'],
  about: 'Print text or json.',
};

/** The options that select a real cluster. */
export const CLUSTER_OPTIONS: Readonly<Record<string, OptionDefinition>> = {
  context: { value: 'NAME', about: 'Use this context of the kubeconfig: a real cluster instead of the embedded one.' },
  kubeconfig: { value: 'FILE', about: 'Read this kubeconfig (default $KUBECONFIG, then ~/.kube/config).' },
};
