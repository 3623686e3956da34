import { AUTHOR_COMMANDS } from './author-commands.ts';
import { CLUSTER_COMMANDS } from './cluster-commands.ts';
import type { CommandDefinition, OptionDefinition } from './command.ts';
import { CLUSTER_OPTIONS, CONNECTION_OPTIONS, CONTROLLERS_OPTION, OUTPUT } from './connection-options.ts';
import { DEFINITION_COMMANDS } from './definition-commands.ts';
import { LIST_SORTS } from './list-sorts.ts';
import { PLAN_COMMANDS } from './plan-commands.ts';
import { TRANSFER_COMMANDS } from './transfer-commands.ts';
import { UNINSTALL_COMMAND } from './uninstall-command.ts';

const STATE_DIRECTORY: OptionDefinition = {
  value: 'DIR',
  about: 'Use the state in this directory (default .evenkeel).',
};

const CLOUD_STAGE: OptionDefinition = {
  value: 'STAGE',
  about: 'Use the cloud deployment of this stage, with the usual AWS settings.',
};

export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'init',
    summary: 'Write a new project with one kind, its controller, tests and a deployment.',
    operands: ['DIR'],
    options: {
      group: { value: 'GROUP', about: 'Use this API group (default example.com).' },
      kind: { value: 'KIND', about: 'Use this kind (default Greeting).' },
      name: { value: 'NAME', about: 'Name the project (default: as its folder).' },
      yes: { short: 'y', about: 'Ask nothing; use the defaults.' },
    },
    examples: ['evenkeel init greeter', 'evenkeel init greeter --yes --group example.com --kind Greeting'],
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'dev',
    summary: 'Run your controllers on the embedded cluster, and load them again at each save.',
    operands: [],
    options: {
      controllers: { value: 'FILE', about: 'Run the controllers of this module (default controllers.ts).' },
      settings: { value: 'FILE', about: 'Read the settings from this file (docs/settings.md).' },
      port: { value: 'N', about: 'Use this port for the embedded API server (default: a free one).' },
      'kubeconfig-out': { value: 'FILE', about: 'Write the kubeconfig to this file (default DIR/kubeconfig).' },
      fresh: { about: 'Remove the state in DIR first, and the embedded cluster with it.' },
      'state-dir': STATE_DIRECTORY,
      'log-format': {
        value: 'FORMAT',
        choices: ['text', 'json'],
        about: 'Print text for people or json for a log collector.',
      },
      verbose: { short: 'v', about: 'Print details too, such as already observed events.' },
    },
    examples: ['evenkeel dev', 'evenkeel dev --controllers src/controllers.ts --port 6443'],
    load: async () => (await import('./dev.ts')).dev,
  },
  {
    name: 'start',
    summary: 'Run everything on this machine, with the embedded cluster or a real one.',
    operands: [],
    options: {
      ...CLUSTER_OPTIONS,
      'in-cluster': { about: 'Use the cluster that this pod runs in, by its service account.' },
      'install-crds': { about: 'Install or update the CRDs in that cluster. Without it they are only checked.' },
      'take-over': { about: 'Take the cluster over from the deployment that drives it.' },
      empty: { about: 'Start without the examples.' },
      fresh: { about: 'Remove the state in DIR first, and the embedded cluster with it.' },
      port: { value: 'N', about: 'Use this port for the embedded API server (default: a free one).' },
      'kubeconfig-out': { value: 'FILE', about: 'Write the kubeconfig to this file (default DIR/kubeconfig).' },
      settings: { value: 'FILE', about: 'Read the settings from this file (docs/settings.md).' },
      controllers: CONTROLLERS_OPTION,
      'state-dir': {
        value: 'DIR',
        about: 'Keep the state and the files of the running installation here (default .evenkeel).',
      },
      parts: {
        value: 'PARTS',
        about: 'Run only these, e.g. stack or relay,sweep. Without stack they join the process in DIR.',
      },
      console: {
        value: 'MODE',
        choices: ['on', 'read-only', 'off'],
        about: 'Serve the console on 127.0.0.1 (default on); read-only refuses its actions.',
      },
      probes: {
        value: 'ADDRESS',
        about: 'Answer /live and /ready at this address for a kubelet, e.g. 0.0.0.0:8080.',
      },
      'metrics-token': {
        value: 'FILE',
        about: 'Answer /metrics there too, to requests with the token in this file.',
      },
      'log-format': {
        value: 'FORMAT',
        choices: ['text', 'json'],
        about: 'Print text for people or json for a log collector.',
      },
      verbose: { short: 'v', about: 'Print details too, such as already observed events.' },
    },
    examples: [
      'evenkeel start',
      'evenkeel start --empty --port 6443',
      'evenkeel start --context staging --settings settings.yaml',
      'evenkeel start --controllers controllers.ts',
    ],
    load: async () => (await import('./start.ts')).start,
  },
  ...PLAN_COMMANDS,
  {
    name: 'explain',
    summary: 'Show the state of one object: last pass, dependencies, next timer and its reason.',
    operands: ['KIND/NAMESPACE/NAME'],
    options: {
      watch: { short: 'w', about: 'Wait until it is Ready (exit code 0) or nothing but an edit can help (1).' },
      output: OUTPUT,
      ...CONNECTION_OPTIONS,
    },
    examples: [
      'evenkeel explain secretcontract/default/web',
      'evenkeel explain secon/default/web -o json --stage prod',
    ],
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'list',
    summary: 'List the reconciled objects with their last outcome and next timer.',
    operands: [],
    options: {
      failing: { about: 'List only objects that failed (retry), need an edit (terminal), crash, or lost a pass.' },
      'not-ready': { about: 'List only objects that failed, or whose Ready (or Available) condition is not True.' },
      kind: { value: 'KIND', about: 'List only objects of this kind.' },
      namespace: { value: 'NAME', short: 'n', about: 'List only objects of this namespace.' },
      selector: { value: 'SELECTOR', short: 'l', about: 'List only objects with these labels, e.g. team=shop.' },
      sort: { value: 'ORDER', choices: [...LIST_SORTS], about: 'Sort by this (default name).' },
      watch: { short: 'w', about: 'Print the list again when it changes, until Ctrl-C.' },
      output: OUTPUT,
      ...CONNECTION_OPTIONS,
    },
    examples: ['evenkeel list', 'evenkeel list --not-ready -n shop --watch', 'evenkeel list --failing -o json'],
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'console',
    summary: 'Serve the console for a browser on 127.0.0.1: objects, causes, passes, queues.',
    operands: [],
    options: {
      'read-only': { about: 'Refuse each action: requeue, pause, resume, redrive.' },
      'console-port': { value: 'N', about: 'Use this port (default: a free one).' },
      ...CONNECTION_OPTIONS,
    },
    examples: ['evenkeel console', 'evenkeel console --stage prod --read-only'],
    load: async () => (await import('./console.ts')).console,
  },
  {
    name: 'requeue',
    summary: 'Start a pass of one object now.',
    operands: ['KIND/NAMESPACE/NAME'],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel requeue secretcontract/default/web'],
    load: async () => (await import('./requeue.ts')).requeue,
  },
  {
    name: 'pause',
    summary: 'Pause reconciliation of a cluster. Events and timers are kept.',
    operands: [],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel pause', 'evenkeel pause --stage prod --cluster prod-eu-1'],
    load: async () => (await import('./cluster-switches.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'Resume reconciliation of a cluster, or a rollout that was stopped.',
    operands: [],
    options: {
      ...CONNECTION_OPTIONS,
      rollout: { value: 'KIND', about: 'Let the stopped new version of this kind go on (docs/plan.md).' },
    },
    examples: ['evenkeel resume', 'evenkeel resume --rollout shop'],
    load: async () => (await import('./cluster-switches.ts')).resume,
  },
  {
    name: 'restored',
    summary: 'Report that a cluster was restored from a backup, and reconcile all its objects again.',
    operands: [],
    options: CONNECTION_OPTIONS,
    examples: ['evenkeel restored --stage prod --cluster prod-eu-1'],
    load: async () => (await import('./cluster-switches.ts')).restored,
  },
  {
    name: 'backup',
    summary: 'Copy the state of this machine to a file, while evenkeel runs.',
    operands: ['FILE'],
    options: { 'state-dir': STATE_DIRECTORY },
    examples: ['evenkeel backup monday.db', 'evenkeel backup monday.db --state-dir /var/lib/evenkeel'],
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Replace the state of this machine by a backup. evenkeel must not run.',
    operands: ['FILE'],
    options: { 'state-dir': STATE_DIRECTORY },
    examples: ['evenkeel restore monday.db'],
    load: async () => (await import('./restore.ts')).restore,
  },
  ...TRANSFER_COMMANDS,
  ...AUTHOR_COMMANDS,
  ...DEFINITION_COMMANDS,
  {
    name: 'doctor',
    summary: 'Check a deployment and its clusters. Print each problem and its remedy.',
    operands: [],
    options: {
      stage: CLOUD_STAGE,
      'state-dir': { value: 'DIR', about: 'Check the state of this machine in DIR instead.' },
      settings: { value: 'FILE', about: 'List the Gateways that these settings, not yet deployed, do not permit.' },
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
  ...CLUSTER_COMMANDS,
  {
    name: 'repair',
    summary: 'Make the deleted parts of a cloud deployment again, and revert changed ones.',
    operands: [],
    options: {
      stage: CLOUD_STAGE,
      'dry-run': { about: 'Only show what would be done.' },
    },
    examples: ['evenkeel repair --stage prod --dry-run', 'evenkeel repair --stage prod'],
    load: async () => (await import('./repair.ts')).repair,
  },
  {
    name: 'redrive',
    summary: 'Send the dead letters of a cloud deployment to their queues again.',
    operands: [],
    options: {
      stage: CLOUD_STAGE,
      queue: { value: 'NAME', about: 'Send only those of this dead-letter queue; name it without .fifo.' },
      'dry-run': { about: 'Only show them, each with its reason.' },
    },
    examples: ['evenkeel redrive --stage prod --dry-run', 'evenkeel redrive --stage prod'],
    load: async () => (await import('./redrive.ts')).redrive,
  },
  UNINSTALL_COMMAND,
];
