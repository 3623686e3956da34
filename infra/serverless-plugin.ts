// The plugin `evenkeel/serverless` for osls. It adds all parts of a stage to serverless.yml and bundles the functions.
// Before a deployment, it lists the objects whose requests the new settings do not permit.
import { join, resolve } from 'node:path';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { EvenkeelError } from '../lib/core/errors.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { readStageUses } from '../lib/deployment/wiring-stage-uses.ts';
import { checkKeptNames, deploymentNotes } from './before-deployment.ts';
import { checkRemovable } from './before-removal.ts';
import { bundleFolder } from './bundle-folder.ts';
import { checkDefinitions, findingsOf, runDoctor, unpermittedObjects } from './findings.ts';
import { serverlessParts } from './serverless-parts.ts';
import { stackResources } from './stack-resources.ts';
import { loadStageWithModules, type Stage } from './stage.ts';
import { TABLE } from './table.ts';
import { writeRelease } from './write-release.ts';

/** The parts of osls that the plugin uses. */
export interface Serverless {
  readonly serviceDir: string;
  readonly processedInput: { readonly isHelpRequest: boolean; readonly commands: readonly string[] };
  readonly configurationInput: {
    readonly provider?: Readonly<Record<string, unknown>>;
    readonly functions?: Readonly<Record<string, unknown>>;
    readonly resources?: unknown;
    readonly package?: Readonly<Record<string, unknown>>;
  };
  readonly service: { readonly provider: { readonly stage?: string } };
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
  extendConfiguration(path: readonly string[], value: unknown): void;
  getProvider(name: 'aws'): AwsProvider;
}

interface AwsProvider {
  readonly naming: { getStackName(): string };
  getStage(): string;
  getCloudFormationClient(): Promise<CloudFormationClient>;
  getAwsSdkV3Config(): Promise<Parameters<typeof readStageUses>[1]>;
}

interface PluginTools {
  readonly progress: { create(options: { message: string; name: string }): { remove(): void } };
  readonly log: { warning(line: string): void };
}

/** Of the command line. */
interface Options {
  readonly stage?: string;
  readonly region?: string;
  readonly package?: string;
}

/**
 * osls sets these fields by itself before it calls a plugin, so they are not a person's choice. The stage decides the
 * region.
 */
const FILLED_IN: ReadonlySet<string> = new Set(['region', 'versionFunctions']);

/**
 * The plugin for osls. With `plugins: [evenkeel/serverless]` in serverless.yml, `serverless deploy --stage NAME` creates
 * all parts of the stage that `stages/NAME.yml` describes. Errors name the file, the path in it and what to do.
 */
export default class EvenkeelPlugin {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;
  readonly #serverless: Serverless;
  readonly #options: Options;
  readonly #tools: PluginTools;
  #stage: Stage | undefined;

  constructor(serverless: Serverless, options: Options, tools: PluginTools) {
    this.#serverless = serverless;
    this.#options = options;
    this.#tools = tools;
    this.hooks = {
      'before:remove:remove': () => this.#checkRemoval(),
      'before:deploy:deploy': () => this.#checkStage(),
      'before:package:createDeploymentArtifacts': () => this.#bundle(),
      'before:deploy:function:packageFunction': () => this.#bundle(),
      'after:package:finalize': async () => this.#writeRelease(),
    };
  }

  /** Extends serverless.yml. Values in the file have precedence. */
  async asyncInit(): Promise<void> {
    const { processedInput, service, classes, configurationInput } = this.#serverless;
    if (processedInput.isHelpRequest || processedInput.commands[0] === 'plugin') return;
    try {
      const name = this.#options.stage ?? service.provider.stage ?? 'dev';
      const stage = await loadStageWithModules(name, this.#serverless.serviceDir, this.#askedRegion());
      this.#stage = stage;
      const { provider, functions, resources } = serverlessParts(stage);
      this.#extend('provider', provider, configurationInput.provider);
      this.#extend('package', { individually: true }, configurationInput.package);
      this.#extend('functions', functions, configurationInput.functions);
      const others = configurationInput.resources;
      this.#serverless.extendConfiguration(
        ['resources'],
        others === undefined ? resources : [resources, others].flat(),
      );
    } catch (error) {
      // For any other error osls prints the stack, but a person needs only the fault.
      if (error instanceof EvenkeelError) throw new classes.Error(error.message, error.code);
      throw error;
    }
  }

  #extend(section: string, fields: object, written: Readonly<Record<string, unknown>> = {}): void {
    for (const [field, value] of Object.entries(fields)) {
      if (Object.hasOwn(written, field) && !FILLED_IN.has(field)) continue;
      this.#serverless.extendConfiguration([section, field], value);
    }
  }

  /** Undefined when the stage's file decides the region. */
  #askedRegion(): string | undefined {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    return this.#options.region ?? AWS_REGION ?? AWS_DEFAULT_REGION;
  }

  async #bundle(): Promise<void> {
    const { serviceDir } = this.#serverless;
    const stage = this.#loaded();
    const modules = (stage.author?.modules ?? []).map((module) => resolve(serviceDir, module));
    const shown = this.#tools.progress.create({ message: 'Bundling the functions', name: 'evenkeel-bundle' });
    try {
      const { bundleFunctions, FUNCTION_PARTS } = await bundler();
      await bundleFunctions(FUNCTION_PARTS, join(serviceDir, bundleFolder(stage)), modules);
    } finally {
      shown.remove();
    }
  }

  async #checkStage(): Promise<void> {
    const stage = this.#loaded();
    const { serviceDir } = this.#serverless;
    const provider = this.#serverless.getProvider('aws');
    const client = await provider.getCloudFormationClient();
    const existing = await stackResources(client, provider.naming.getStackName());
    checkKeptNames(stage, existing);
    const lines = deploymentNotes(stage);
    // A stage that was never deployed has nothing to look at.
    if (existing.has(TABLE)) {
      const findings = await findingsOf(() => runDoctor(stage.name, stage.cloud.region, serviceDir));
      lines.push(...checkDefinitions(stage, findings), ...unpermittedObjects(stage, findings));
    }
    for (const line of lines) this.#tools.log.warning(line);
  }

  /** Only for `serverless package --package FOLDER`: a deployment needs no release. */
  #writeRelease(): void {
    const { package: folder } = this.#options;
    if (this.#serverless.processedInput.commands.join(' ') !== 'package' || folder === undefined) return;
    const { serviceDir } = this.#serverless;
    writeRelease(resolve(serviceDir, folder), `evenkeel/${packageVersion()}/`);
  }

  async #checkRemoval(): Promise<void> {
    const provider = this.#serverless.getProvider('aws');
    const name = provider.getStage();
    const uses = await readStageUses(name, await provider.getAwsSdkV3Config());
    checkRemovable(name, uses, this.#stage?.author?.modules);
  }

  #loaded(): Stage {
    if (this.#stage !== undefined) return this.#stage;
    throw new EvenkeelError('NO_STAGE', 'the plugin evenkeel/serverless was not initialized. Use osls 4.');
  }
}

/**
 * Loaded only to bundle functions, because esbuild is a development dependency, of this package and of an author's
 * project.
 */
async function bundler() {
  try {
    return await import('../lib/deployment/package/bundle-functions.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new EvenkeelError(
      'NO_BUNDLER',
      'esbuild, which bundles the functions, is not installed. Install it with npm install --save-dev --save-exact esbuild.',
      { cause: error },
    );
  }
}
