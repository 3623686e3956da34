import { settingsToDeploy } from '../lib/deployment/settings/load-settings.ts';
import type { RunCommand } from './command.ts';
import { deployedSettings } from './deployed-stage.ts';
import type { Diagnosis } from './doctor/diagnosis.ts';
import { examineStage } from './doctor/examine-stage.ts';
import { printJson } from './print-json.ts';
import { UsageError } from './usage-error.ts';
import { openDoctor } from './wiring-doctor.ts';

const MARKS: Readonly<Record<Diagnosis['level'], string>> = { ok: 'ok     ', note: 'note   ', trouble: 'TROUBLE' };

/** `evenkeel doctor --stage STAGE [--settings FILE]`. @returns 1 when there is trouble, so that a script notices. */
export const doctor: RunCommand = async (invocation, terminal) => {
  const stage = invocation.text('stage');
  if (stage === undefined) throw new UsageError('name the deployment with --stage STAGE.');
  const file = invocation.text('settings');
  const nextSettings = file === undefined ? undefined : settingsToDeploy(file);
  await using tools = openDoctor(stage);
  const settings = await deployedSettings(stage, tools.parameters);
  const progress = terminal.progress(`checking stage ${stage}`);
  const onProgress = (about: string) => progress.update(`checking stage ${stage}: ${about}`);
  const diagnoses = await examineStage(stage, settings, tools, onProgress, nextSettings).finally(() => progress.end());
  const troubles = diagnoses.filter(({ level }) => level === 'trouble').length;
  if (invocation.text('output') === 'json') printJson({ items: diagnoses }, terminal);
  else for (const diagnosis of diagnoses) terminal.out(diagnosisLine(diagnosis));
  if (troubles > 0)
    terminal.err(`evenkeel: stage ${stage} has ${troubles === 1 ? 'one problem' : `${troubles} problems`}`);
  return troubles > 0 ? 1 : 0;
};

function diagnosisLine({ about, level, text, advice }: Diagnosis): string {
  return `${MARKS[level]}  ${about}: ${text}${advice === undefined ? '' : `. ${advice}`}`;
}
