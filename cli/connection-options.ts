import type { OptionDefinition } from './command.ts';

export const DEFAULT_STATE_DIRECTORY = '.evenkeel';

export const CONTROLLERS_OPTION: OptionDefinition = {
  value: 'FILE',
  many: true,
  about: 'A module with controllers of your own (docs/writing-a-controller.md).',
};

/** How a command finds the installation that it speaks of. */
export const CONNECTION_OPTIONS: Readonly<Record<string, OptionDefinition>> = {
  'state-dir': { value: 'DIR', about: 'Where `evenkeel start` runs from (default .evenkeel).' },
  stage: { value: 'STAGE', about: 'The cloud deployment of this stage instead, by the usual AWS settings.' },
  table: { value: 'NAME', about: 'The table of a cloud deployment, when it has not the name of its stage.' },
  cluster: { value: 'NAME', about: "The cluster's name in the installation (default: the only one, or local)." },
  settings: { value: 'FILE', about: 'The settings of the installation (docs/settings.md).' },
};
