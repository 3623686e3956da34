import { settingsToDeploy } from '../lib/deployment/settings/load-settings.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import { deployedSettings } from './deployed-stage.ts';
import { type Diagnosis, ok, trouble } from './doctor/diagnosis.ts';
import { examineStage } from './doctor/examine-stage.ts';
import { printJson } from './print-json.ts';
import { UsageError } from './usage-error.ts';
import { openDoctor } from './wiring-doctor.ts';
import { checkLocalState } from './wiring-state.ts';

const MARKS: Readonly<Record<Diagnosis['level'], string>> = {
  ok: 'ok     ',
  note: 'note   ',
  warning: 'WARNING',
  trouble: 'TROUBLE',
};

/** 2 is the exit code of a command line that was not understood. */
const ENDS_WITH = { ok: 0, trouble: 1, warning: 3 } as const;

/**
 * `evenkeel doctor --stage STAGE [--settings FILE]` or `--state-dir DIR`.
 * @returns 1 when there is trouble, otherwise 3 when something could not be checked, for scripts.
 */
export const doctor: RunCommand = async (invocation, terminal) => {
  const stage = invocation.text('stage');
  const directory = invocation.text('state-dir');
  if (stage !== undefined && directory !== undefined) {
    throw new UsageError(
      '--stage names a cloud deployment, and --state-dir one on this machine. Leave one of them out.',
    );
  }
  if (directory !== undefined) {
    return report(await examineState(directory), invocation, terminal, `the state in ${directory}`);
  }
  if (stage === undefined) {
    throw new UsageError('name the deployment with --stage STAGE. For one on this machine, use --state-dir DIR.');
  }
  const file = invocation.text('settings');
  const nextSettings = file === undefined ? undefined : settingsToDeploy(file);
  await using opened = openDoctor(stage);
  const { settings, groups } = await deployedSettings(stage, opened.parameters);
  const tools = { ...opened, controllerGroups: groups };
  const progress = terminal.progress(`checking stage ${stage}`);
  const onProgress = (about: string) => progress.update(`checking stage ${stage}: ${about}`);
  const diagnoses = await examineStage(stage, settings, tools, onProgress, nextSettings).finally(() => progress.end());
  return report(diagnoses, invocation, terminal, `stage ${stage}`);
};

/** Prints the results, and returns their exit code. */
export function report(
  diagnoses: readonly Diagnosis[],
  invocation: Invocation,
  terminal: Terminal,
  what: string,
): number {
  const troubles = diagnoses.filter(({ level }) => level === 'trouble').length;
  if (invocation.text('output') === 'json') printJson({ items: diagnoses }, terminal);
  else for (const diagnosis of diagnoses) terminal.out(diagnosisLine(diagnosis));
  if (troubles > 0) terminal.err(`evenkeel: ${what} has ${troubles === 1 ? 'one problem' : `${troubles} problems`}`);
  if (troubles > 0) return ENDS_WITH.trouble;
  const warnings = diagnoses.filter(({ level }) => level === 'warning').length;
  if (warnings === 0) return ENDS_WITH.ok;
  terminal.err(`evenkeel: ${warnings === 1 ? 'one thing' : `${warnings} things`} of ${what} could not be checked`);
  return ENDS_WITH.warning;
}

/**
 * Checks the state file with SQLite's own check, and the queues in it.
 * @throws StateFileError when it is not a state file of evenkeel.
 */
async function examineState(directory: string): Promise<Diagnosis[]> {
  const faults = await checkLocalState(directory);
  if (faults.length === 0) return [ok('state', `the state in ${directory} is sound`)];
  const advice = 'Stop evenkeel, and restore a backup with evenkeel restore FILE';
  return faults.map((fault) => trouble('state', `the state in ${directory} is damaged: ${fault}`, advice));
}

function diagnosisLine({ about, level, text, advice }: Diagnosis): string {
  return `${MARKS[level]}  ${about}: ${text}${advice === undefined ? '' : `. ${advice}`}`;
}
