import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentCopy } from './deployment-copy.ts';

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is looked at in all its depth
  readonly Properties: any;
  readonly DeletionPolicy?: string;
}

/** The files that a deployment of a stage would send to AWS. */
export class PackagedStage {
  readonly name: string;
  readonly folder: string;
  readonly resources: Readonly<Record<string, TemplateResource>>;
  readonly outputs: Readonly<Record<string, { readonly Value: unknown }>>;

  private constructor(name: string, folder: string) {
    const text = readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8');
    const template = JSON.parse(text) as Pick<PackagedStage, never> & {
      Resources: Record<string, TemplateResource>;
      Outputs: Record<string, { Value: unknown }>;
    };
    this.name = name;
    this.folder = folder;
    this.resources = template.Resources;
    this.outputs = template.Outputs;
  }

  /** @throws Error with the whole output when packaging fails. */
  static async of(name: string, copy: DeploymentCopy): Promise<PackagedStage> {
    const folder = join(copy.folder, `.packaged-${name}`);
    const { code, output } = await copy.serverless('package', '--stage', name, '--package', folder);
    if (code !== 0) throw new Error(`stage ${name} cannot be packaged:\n${output}`);
    return new PackagedStage(name, folder);
  }

  ofType(type: string): Record<string, TemplateResource> {
    return Object.fromEntries(Object.entries(this.resources).filter(([, { Type }]) => Type === type));
  }

  /** The folder of the release: `template.json`, and the zip files in `code`. */
  get release(): string {
    return join(this.folder, 'release');
  }

  /** @param file by default the template that osls deploys. @returns what cfn-lint finds. */
  lint(file = join(this.folder, 'cloudformation-template-update-stack.json')): string {
    try {
      // W3005: osls writes a dependency twice, explicitly and as a reference.
      execFileSync('cfn-lint', ['--ignore-checks', 'W3005', '--regions', 'eu-central-1', '--template', file], {
        stdio: 'pipe',
      });
      return '';
    } catch (error) {
      return String((error as { stdout?: Buffer }).stdout ?? error);
    }
  }
}
