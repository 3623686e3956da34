import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMap, type ParsedNode } from 'yaml';
import { z } from 'zod';
import type { Controller } from '../lib/core/controller.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import type { DesiredObject } from '../lib/core/kube-object.ts';
import { authorGroups } from '../lib/deployment/author/author-groups.ts';
import { modulesOf } from '../lib/deployment/author/own-controllers.ts';
import { cloudSettings, type WrittenSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import { fileFault } from '../lib/deployment/files/file-fault.ts';
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

/** Everything that is deployed under one name. */
export interface Stage {
  readonly name: string;
  readonly settings: Settings;
  /** The settings as they are in the stage's file. The functions get these. */
  readonly written: WrittenSettings;
  readonly cloud: CloudSection;
  /** The names of the installed controller groups. */
  readonly groups: readonly string[];
  readonly installed: readonly InstalledGroup[];
  /** The modules with an author's controllers, from the folder of serverless.yml, and the groups of these controllers. */
  readonly author: AuthorModules | undefined;
}

/** The modules of the field `controllers`. */
export interface AuthorModules {
  /** As they are in the file, e.g. `./controllers.ts`. */
  readonly modules: readonly string[];
  readonly controllers: readonly Controller[];
  readonly definitions: readonly DesiredObject[];
}

const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;
const FOLDER = 'stages';

/** The stage's file has errors and cannot be deployed. The message has one line for each error. */
export class StageError extends EvenkeelError {
  constructor(faults: readonly string[]) {
    super('INVALID_STAGE', faults.join('\n'));
  }
}

/**
 * Reads stages/<name>.yml, without modules of an author.
 * @param root the folder of serverless.yml.
 * @param region the region of the deployment, when it is not the one of the file.
 * @throws StageError
 */
export function loadStage(name: string, root: string, region?: string): Stage {
  const { file, text } = stageFile(name, root);
  return inRegion(parseStage(name, text, file), region);
}

/**
 * Reads stages/<name>.yml and the modules with controllers that it names.
 * @param root the folder of serverless.yml.
 * @param region the region of the deployment, when it is not the one of the file.
 * @throws StageError; EvenkeelError INVALID_CONTROLLERS
 */
export async function loadStageWithModules(name: string, root: string, region?: string): Promise<Stage> {
  const { file, text } = stageFile(name, root);
  const modules = namedModules(text, file);
  if (modules.length === 0) return inRegion(parseStage(name, text, file), region);
  const own = await modulesOf(modules.map((module) => resolve(root, module)));
  return inRegion(parseStage(name, text, file, GROUPS, { modules, ...own }), region);
}

function inRegion(stage: Stage, region: string | undefined): Stage {
  return region === undefined ? stage : { ...stage, cloud: { ...stage.cloud, region } };
}

/** The modules in the field `controllers`. Faults of the field are found by parseStage. @throws StageError */
function namedModules(text: string, file: string): readonly string[] {
  const { contents, toJs } = parseYaml(text, file, (faults) => new StageError(faults));
  const parsed = z.object({ controllers: modulesField }).safeParse(toJs(contents));
  return parsed.data?.controllers ?? [];
}

const moduleName = z.string().min(1);
const modulesField = z
  .union([moduleName.transform((module) => [module]), z.array(moduleName).min(1).max(100)])
  .optional();

function stageFile(name: string, root: string): { readonly file: string; readonly text: string } {
  const file = join(FOLDER, `${name}.yml`);
  const folder = join(root, FOLDER);
  const known = existsSync(folder) ? readdirSync(folder).map((found) => found.replace(/\.yml$/, '')) : [];
  if (!STAGE_NAME.test(name) || name === LOCAL_STAGE || !existsSync(join(root, file))) {
    throw new StageError([
      `there is no stage "${name}".${didYouMean(name, known)} There are: ${known.join(', ')}. Each is a file: for a new one copy ${FOLDER}/prod.yml to ${FOLDER}/NAME.yml, with 1 to 20 lower-case letters, digits and dashes for NAME.`,
    ]);
  }
  try {
    return { file, text: readText(join(root, file)) };
  } catch (error) {
    const { why, advice } = fileFault(error);
    throw new StageError([`${file}: it cannot be read: ${why}. ${advice}.`]);
  }
}

/**
 * @param file for messages.
 * @param shipped the controller groups of this package.
 * @param author the loaded modules that the text names.
 * @throws StageError
 */
export function parseStage(
  name: string,
  text: string,
  file: string,
  shipped: ControllerGroups = GROUPS,
  author?: AuthorModules,
): Stage {
  const own = author === undefined ? [] : authorGroups(author.controllers, author.definitions);
  const groups =
    own.length === 0 ? shipped : [...shipped, ...own].sort((left, right) => (left.name < right.name ? -1 : 1));
  const { contents, toJs, at } = parseYaml(text, file, (faults) => new StageError(faults));
  const root = toJs(contents) ?? {};
  const parts = stageSections.safeParse(root);
  if (!parts.success)
    throw new StageError([
      `${file}: a stage has the sections settings and cloud, the field controllers with the paths of modules, and nothing else.`,
    ]);

  const written = withOwnGroups((parts.data.settings ?? {}) as WrittenSettings, author, own);
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
  const misplaced = misplacedSettings((parts.data.settings ?? {}) as WrittenSettings, settings.data, installed);
  if (misplaced.length > 0) throw new StageError(misplaced.map((fault) => `${file}: settings.${fault}`));
  return {
    name,
    settings: cloudSettings(name, written, groups),
    written,
    cloud: cloud.data,
    groups: Object.keys(settings.data.groups).sort(),
    installed,
    author,
  };
}

const stageSections = z.strictObject({
  settings: z.unknown().optional(),
  cloud: z.unknown().optional(),
  controllers: modulesField,
});

/**
 * Adds an author's groups, because naming their module installs them. Without other groups in the file, they are the
 * only ones.
 */
function withOwnGroups(written: WrittenSettings, author: AuthorModules | undefined, own: ControllerGroups) {
  if (author === undefined) return written;
  const sections = Object.fromEntries(own.map(({ name }) => [name, {}]));
  const { groups } = written;
  const others = typeof groups === 'object' && groups !== null ? groups : {};
  return { ...written, groups: { ...others, ...sections }, controllers: [...author.modules] };
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

/** Finds settings that are only for one machine, and intervals that EventBridge cannot have. */
function misplacedSettings(
  written: WrittenSettings,
  settings: Settings,
  installed: readonly InstalledGroup[],
): string[] {
  const faults: string[] = [];
  if ('cluster' in written) faults.push('cluster: the clusters of a cloud deployment are SSM parameters. Remove it.');
  if ('metrics' in written) faults.push('metrics: the metrics of a cloud deployment are in CloudWatch. Remove it.');
  if (settings.rollout?.controllers !== undefined) {
    faults.push(
      'rollout.controllers: a stage runs one version of its code, so its rollout has only stages. Remove it, and rollout.plan.',
    );
  }
  if ('controllers' in written) {
    faults.push(
      'controllers: a stage names its modules next to its settings, from the folder of serverless.yml. Write controllers: ./controllers.ts outside of settings.',
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
