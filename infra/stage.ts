import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, type ParsedNode } from 'yaml';
import { z } from 'zod';
import { EvenkeelError } from '../lib/core/errors.ts';
import { cloudSettings, type WrittenSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import { parseYaml } from '../lib/deployment/files/parse-yaml.ts';
import { readText } from '../lib/deployment/files/read-text.ts';
import { type InstalledGroup, installedGroups, settingAt } from '../lib/deployment/groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import { LOCAL_STAGE } from '../lib/deployment/installation/resource-names.ts';
import { groupMistakes } from '../lib/deployment/settings/group-mistakes.ts';
import { dotted, settingsFaults } from '../lib/deployment/settings/settings-faults.ts';
import { type Settings, settingsSchemaOf } from '../lib/deployment/settings/settings-schema.ts';
import { didYouMean } from '../lib/deployment/suggestion/closest-word.ts';
import { type CloudSection, cloudSection } from './cloud-section.ts';

/** All that is deployed under one name. */
export interface Stage {
  readonly name: string;
  readonly settings: Settings;
  /** As the stage's file has them: what the functions are given. */
  readonly written: WrittenSettings;
  readonly cloud: CloudSection;
  /** The names of the installed controller groups. */
  readonly groups: readonly string[];
  readonly installed: readonly InstalledGroup[];
}

const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;
const FOLDER = 'stages';

/** A stage cannot be deployed as it is written. One line for each fault. */
export class StageError extends EvenkeelError {
  constructor(faults: readonly string[]) {
    super('INVALID_STAGE', faults.join('\n'));
  }
}

/**
 * Reads stages/<name>.yml.
 * @param root of the repository.
 * @param region that is deployed to, where it is not the file's.
 * @throws StageError
 */
export function loadStage(name: string, root: string, region?: string): Stage {
  const file = join(FOLDER, `${name}.yml`);
  const known = readdirSync(join(root, FOLDER)).map((found) => found.replace(/\.yml$/, ''));
  if (!STAGE_NAME.test(name) || name === LOCAL_STAGE || !existsSync(join(root, file))) {
    throw new StageError([
      `there is no stage "${name}".${didYouMean(name, known)} There are: ${known.join(', ')}. Each is a file: for a new one copy ${FOLDER}/prod.yml to ${FOLDER}/NAME.yml, with 1 to 20 lower-case letters, digits and dashes for NAME.`,
    ]);
  }
  const stage = parseStage(name, readText(join(root, file)), file);
  return region === undefined ? stage : { ...stage, cloud: { ...stage.cloud, region } };
}

/**
 * @param file for messages.
 * @param groups the controller groups that there are.
 * @throws StageError
 */
export function parseStage(name: string, text: string, file: string, groups: ControllerGroups = GROUPS): Stage {
  const { contents, toJs, at } = parseYaml(text, file, (faults) => new StageError(faults));
  const root = toJs(contents) ?? {};
  const parts = z.strictObject({ settings: z.unknown().optional(), cloud: z.unknown().optional() }).safeParse(root);
  if (!parts.success)
    throw new StageError([`${file}: a stage has two sections, settings and cloud, and nothing else.`]);

  const written = (parts.data.settings ?? {}) as WrittenSettings;
  const schema = settingsSchemaOf(groups);
  const settings = schema.safeParse(written);
  const issues = settings.success ? groupMistakes(settings.data, groups) : settings.error.issues;
  const cloud = cloudSection.safeParse(parts.data.cloud ?? {});
  const faults = [
    ...settingsFaults(schema, issues, sectionNode(contents, 'settings'), at),
    ...(cloud.success ? [] : cloud.error.issues.map((issue) => cloudFault(issue, file))),
  ];
  if (!settings.success || !cloud.success || faults.length > 0) throw new StageError(faults);
  const installed = installedGroups(settings.data, groups);
  const misplaced = misplacedSettings(written, settings.data, installed);
  if (misplaced.length > 0) throw new StageError(misplaced.map((fault) => `${file}: settings.${fault}`));
  return {
    name,
    settings: cloudSettings(name, written, groups),
    written,
    cloud: cloud.data,
    groups: Object.keys(settings.data.groups).sort(),
    installed,
  };
}

function sectionNode(contents: ParsedNode | null, section: string): ParsedNode | null {
  return isMap(contents) ? ((contents.get(section, true) as ParsedNode | undefined) ?? null) : null;
}

function cloudFault(issue: z.core.$ZodIssue, file: string): string {
  const field = dotted(['cloud', ...issue.path.filter((step) => typeof step !== 'symbol')]);
  if (issue.code !== 'unrecognized_keys') return `${file}: ${field}: ${issue.message.replace(/\.$/, '')}.`;
  const known = issue.path.length === 0 ? Object.keys(cloudSection.def.innerType.shape) : [];
  return `${file}: ${issue.keys.map((key) => `${field}.${key}: there is no such field.${didYouMean(key, known)}`).join(' ')}`;
}

/** Settings that only make sense on one machine, and times that EventBridge cannot keep. */
function misplacedSettings(
  written: WrittenSettings,
  settings: Settings,
  installed: readonly InstalledGroup[],
): string[] {
  const faults: string[] = [];
  if ('cluster' in written) faults.push('cluster: the clusters of a cloud deployment are SSM parameters. Remove it.');
  if ('metrics' in written) faults.push('metrics: the metrics of a cloud deployment are in CloudWatch. Remove it.');
  if (settings.controllers !== undefined) {
    faults.push(
      'controllers: a deployment bundles the controllers of this repository. Add yours in a clone: a folder in lib/controllers with its group.ts, and its line in lib/controllers/groups.ts. Leave this out.',
    );
  }
  for (const { manifest, section } of installed) {
    for (const { path, inCloud } of manifest.files ?? []) {
      if (settingAt(section, path) !== undefined) {
        faults.push(`${['groups', manifest.name, ...path].join('.')}: ${inCloud}`);
      }
    }
  }
  const { sweepMs, resyncMs } = settings.intervals;
  if (sweepMs === 0) faults.push('intervals.sweep: a cloud deployment needs the sweep. Remove it.');
  for (const [field, ms] of Object.entries({ sweep: sweepMs, resync: resyncMs })) {
    if (ms % 60_000 !== 0) faults.push(`intervals.${field}: EventBridge schedules take whole minutes. Write it as 5m.`);
  }
  return faults;
}
