import type { CommandDefinition, OptionDefinition } from './command.ts';
import { CONNECTION_OPTIONS, CONTROLLERS_OPTION } from './connection-options.ts';

const OUTPUT: OptionDefinition = { value: 'FORMAT', short: 'o', choices: ['text', 'json'], about: 'text or json.' };

const STATE_DIRECTORY: OptionDefinition = { value: 'DIR', about: 'Where the state is kept (default .evenkeel).' };

const CLOUD_STAGE: OptionDefinition = {
  value: 'STAGE',
  about: 'The cloud deployment of this stage, by the usual AWS settings.',
};

const CLUSTER_OPTIONS: Readonly<Record<string, OptionDefinition>> = {
  context: { value: 'NAME', about: 'A context of the kubeconfig: a real cluster instead of the embedded one.' },
  kubeconfig: { value: 'FILE', about: 'The kubeconfig (default $KUBECONFIG, then ~/.kube/config).' },
};

export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'start',
    summary: 'Runs the whole loop on this machine, with its state in a file: the embedded cluster, or a real one.',
    operands: [],
    options: {
      ...CLUSTER_OPTIONS,
      'install-crds': { about: 'Installs or updates the CRDs in that cluster; otherwise they are only checked.' },
      'take-over': { about: 'Takes the cluster from the deployment that drives it now.' },
      empty: { about: 'Leaves the examples out.' },
      fresh: { about: 'Removes the state in DIR first, and the embedded cluster with it.' },
      port: { value: 'N', about: 'The port of the embedded API server (default: a free one).' },
      'kubeconfig-out': { value: 'FILE', about: 'Where the kubeconfig is written (default DIR/kubeconfig).' },
      settings: { value: 'FILE', about: 'The settings of the installation (docs/settings.md).' },
      controllers: CONTROLLERS_OPTION,
      'state-dir': { value: 'DIR', about: 'Where the state and other files are kept (default .evenkeel).' },
      parts: {
        value: 'PARTS',
        about: 'Only these parts, e.g. stack or relay,sweep; those without stack join the one that runs in DIR.',
      },
      'log-format': { value: 'FORMAT', choices: ['text', 'json'], about: 'text for people, json for a log collector.' },
      verbose: { short: 'v', about: 'Shows covered events and other details too.' },
    },
    examples: [
      'evenkeel start',
      'evenkeel start --empty --port 6443',
      'evenkeel start --context staging --settings settings.yaml',
      'evenkeel start --controllers controllers.ts',
    ],
    load: async () => (await import('./start.ts')).start,
  },
  {
    name: 'explain',
    summary: 'Tells all that is known of one object: its last pass, what it waits for, and what comes next.',
    operands: ['KIND/NAMESPACE/NAME'],
    options: { output: OUTPUT, ...CONNECTION_OPTIONS },
    examples: [
      'evenkeel explain secretcontract/default/web',
      'evenkeel explain secon/default/web -o json --stage prod',
    ],
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'list',
    summary: 'Lists what is reconciled, with the last outcome and the next deadline of each.',
    operands: [],
    options: {
      failing: { about: 'Only what fails (retry), waits for a person (terminal), crashes, or whose pass died.' },
      kind: { value: 'KIND', about: 'Only objects of this kind.' },
      output: OUTPUT,
      ...CONNECTION_OPTIONS,
    },
    examples: ['evenkeel list', 'evenkeel list --failing -o json'],
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'requeue',
    summary: 'Asks for a pass of one object now.',
    operands: ['KIND/NAMESPACE/NAME'],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel requeue secretcontract/default/web'],
    load: async () => (await import('./requeue.ts')).requeue,
  },
  {
    name: 'pause',
    summary: 'Lets no pass of a cluster begin; events and deadlines are kept.',
    operands: [],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel pause', 'evenkeel pause --stage prod --cluster prod-eu-1'],
    load: async () => (await import('./cluster-switches.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'Ends a pause.',
    operands: [],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel resume'],
    load: async () => (await import('./cluster-switches.ts')).resume,
  },
  {
    name: 'restored',
    summary: 'Tells that a cluster was restored from a backup: everything in it is reconciled anew.',
    operands: [],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel restored --stage prod --cluster prod-eu-1'],
    load: async () => (await import('./cluster-switches.ts')).restored,
  },
  {
    name: 'backup',
    summary: 'Copies the state of this machine to a file, while evenkeel runs.',
    operands: ['FILE'],
    options: { 'state-dir': STATE_DIRECTORY },
    examples: ['evenkeel backup monday.db', 'evenkeel backup monday.db --state-dir /var/lib/evenkeel'],
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Puts a backup in the place of the state of this machine; evenkeel must not run.',
    operands: ['FILE'],
    options: { 'state-dir': STATE_DIRECTORY },
    examples: ['evenkeel restore monday.db'],
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'doctor',
    summary: 'Looks at everything a deployment rests on, and says what is wrong and what to do.',
    operands: [],
    options: {
      stage: CLOUD_STAGE,
      'state-dir': { value: 'DIR', about: 'Check the state of this machine in DIR instead.' },
      settings: { value: 'FILE', about: 'Settings to be deployed: list the Gateways that they do not permit.' },
      output: OUTPUT,
    },
    examples: [
      'evenkeel doctor --stage prod',
      'evenkeel doctor --stage prod --settings next.yml',
      'evenkeel doctor --stage prod -o json',
      'evenkeel doctor --state-dir .evenkeel',
    ],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'redrive',
    summary: 'Sends the dead letters of a cloud deployment to their queues again.',
    operands: [],
    options: {
      stage: CLOUD_STAGE,
      queue: { value: 'NAME', about: 'Only this dead-letter queue, without its ending .fifo.' },
      'dry-run': { about: 'Only shows them, with the reason of each.' },
    },
    examples: ['evenkeel redrive --stage prod --dry-run', 'evenkeel redrive --stage prod'],
    load: async () => (await import('./redrive.ts')).redrive,
  },
  {
    name: 'uninstall',
    summary: 'Removes what evenkeel needs from a cluster, and says what it leaves.',
    operands: [],
    options: {
      ...CLUSTER_OPTIONS,
      settings: { value: 'FILE', about: 'The settings of the installation (docs/settings.md).' },
      controllers: CONTROLLERS_OPTION,
      'state-dir': { value: 'DIR', about: 'Where `evenkeel start` runs from (default .evenkeel).' },
      'forgo-cleanup': { about: 'Removes our finalizers although what they protect was not cleaned up.' },
      'dry-run': { about: 'Only says what would be done.' },
    },
    examples: [
      'evenkeel uninstall --context staging --dry-run',
      'evenkeel uninstall --context staging --forgo-cleanup',
    ],
    load: async () => (await import('./uninstall.ts')).uninstall,
  },
];
