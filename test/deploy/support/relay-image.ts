import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentCopy } from './deployment-copy.ts';

const FOLDER = 'infra/container';
/** Both stages of the build work there. */
const WORKDIR = '/evenkeel/';

/**
 * What infra/container/Dockerfile builds, made by doing what it says step by step: a stand-in for Docker, which a machine
 * need not have. Its packages are those that are installed here.
 */
export class RelayImage implements Disposable {
  /** The working directory of the image. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly userId: number;
  readonly groupId: number;
  private readonly root: string;

  private constructor(root: string, folder: string, image: Instructions) {
    this.root = root;
    this.folder = folder;
    this.command = JSON.parse(image.only('CMD')) as string[];
    this.environment = Object.fromEntries(
      image
        .only('ENV')
        .split(' ')
        .map((pair) => pair.split('=', 2) as [string, string]),
    );
    const [userId = 0, groupId = 0] = image.only('USER').split(':').map(Number);
    this.userId = userId;
    this.groupId = groupId;
  }

  /** @throws Error when a step fails, or the context has not what it copies. */
  static async build(copy: DeploymentCopy): Promise<RelayImage> {
    const [, build, image] = stagesOf(copy.read(`${FOLDER}/Dockerfile`));
    if (build === undefined || image === undefined) throw new Error('the Dockerfile has not two stages');
    const root = mkdtempSync(join(tmpdir(), 'evenkeel-image-'));
    const [built, folder] = ['built', 'image'].map((name) => join(root, name)) as [string, string];
    for (const name of [built, folder]) mkdirSync(name);
    const context = contextOf(copy.read(`${FOLDER}/Dockerfile.dockerignore`));
    for (const { source, target } of build.copies()) {
      if (!context.has(source)) throw new Error(`${source} is not in the context of the build`);
      cpSync(join(copy.folder, source), join(built, target === './' ? source : target), { recursive: true });
    }
    for (const step of build.all('RUN')) {
      if (step.startsWith('npm ci ')) symlinkSync(join(copy.folder, 'node_modules'), join(built, 'node_modules'));
      else await runStep(copy, step, built);
    }
    for (const { source, target } of image.copies()) {
      cpSync(join(built, source.replace(WORKDIR, '')), join(folder, target), { recursive: true });
    }
    // Temporary folders are their owner's alone; a layer can be read by all.
    chmodSync(root, 0o755);
    return new RelayImage(root, folder, image);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

class Instructions {
  private readonly lines: readonly (readonly [name: string, rest: string])[];

  constructor(lines: readonly (readonly [name: string, rest: string])[]) {
    this.lines = lines;
  }

  all(name: string): string[] {
    return this.lines.filter(([found]) => found === name).map(([, rest]) => rest);
  }

  only(name: string): string {
    const [found, ...more] = this.all(name);
    if (found === undefined || more.length > 0)
      throw new Error(`the Dockerfile has ${more.length} more than one ${name}`);
    return found;
  }

  /** One for each source. */
  copies(): { readonly source: string; readonly target: string }[] {
    return this.all('COPY').flatMap((rest) => {
      const paths = rest.split(' ').filter((word) => word !== '--from=build');
      const target = paths.pop() ?? '';
      return paths.map((source) => ({ source, target }));
    });
  }
}

/** The instructions before the first FROM, and those of each stage. */
function stagesOf(dockerfile: string): Instructions[] {
  const stages: [string, string][][] = [[]];
  for (const line of dockerfile.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
    const [, name = '', rest = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push([name, rest]);
  }
  return stages.map((lines) => new Instructions(lines));
}

/** What .dockerignore lets through: it ignores all but what it names. */
function contextOf(dockerignore: string): Set<string> {
  const [all, ...kept] = dockerignore.trim().split('\n');
  if (all !== '**') throw new Error('.dockerignore does not begin with all');
  return new Set(kept.map((line) => line.replace(/^!/, '')));
}

async function runStep(copy: DeploymentCopy, step: string, folder: string): Promise<void> {
  const [program, ...args] = step.split(' ');
  if (program !== 'node') throw new Error(`this stand-in for Docker cannot run ${step}`);
  const { code, output } = await copy.nodeIn(folder, ...args);
  if (code !== 0) throw new Error(`${step} failed:\n${output}`);
}
