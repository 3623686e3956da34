import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject } from '../../core/kube-object.ts';
import { IN_NODE, packageEntry, thisPackage } from './bundle-functions.ts';
import { writeConsolePage } from './console-page.ts';
import { packageRoot, packageVersion } from './package-root.ts';
import { slimPackages } from './slim-packages.ts';

/** The file with an author's controllers in the tree, one for all modules. */
export const CONTROLLERS_FILE = 'controllers.js';

/** The name in the package.json of a tree. A folder with this name may be replaced. */
const IMAGE = 'evenkeel-image';

/** The modules of an author that the image also runs. */
export interface OwnModules {
  /** Absolute paths. */
  readonly modules: readonly string[];
  /** The CRDs of their kinds. */
  readonly definitions: readonly DesiredObject[];
}

/**
 * Writes the files of the container image: the command line, the relay of a cloud deployment, and the files that these
 * read. The image needs no installed package and writes no file outside its state directory. Only code that packages a
 * deployment may import this file, because esbuild is a development dependency.
 * @param folder is created, or replaced when it contains the files of an image.
 * @throws EvenkeelError CONTAINER_FOLDER for a folder with other files, which would be lost.
 */
export async function writeContainerTree(
  folder: string,
  { modules, definitions }: OwnModules = { modules: [], definitions: [] },
): Promise<void> {
  const root = packageRoot();
  refuseOtherFiles(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundleCommandLine(join(folder, 'dist'));
  await copyConsolePage(root, join(folder, 'dist', 'console'));
  await bundleRelay(modules, join(folder, 'relay.js'));
  if (modules.length > 0) await bundleModules(modules, definitions, join(folder, CONTROLLERS_FILE));
  // At its start, the container compares these definitions with those of the cluster.
  const kept = join('infra', 'kubernetes', 'crds');
  cpSync(join(root, kept), join(folder, kept), { recursive: true });
  cpSync(join(root, 'infra', 'container', 'Dockerfile'), join(folder, 'Dockerfile'));
  const manifest = { name: IMAGE, version: packageVersion(), type: 'module' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function refuseOtherFiles(folder: string): void {
  if (!existsSync(folder)) return;
  const isEmpty = statSync(folder).isDirectory() && readdirSync(folder).length === 0;
  if (isEmpty || nameOf(join(folder, 'package.json')) === IMAGE) return;
  throw new EvenkeelError(
    'CONTAINER_FOLDER',
    `${folder} holds other files than those of an image, and would be replaced. Name another folder.`,
  );
}

function nameOf(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

/**
 * Also bundles the file that an author's `import ... from 'evenkeel'` gets, so that both share one copy of the code.
 */
async function bundleCommandLine(outdir: string): Promise<void> {
  const entryPoints = [packageEntry('cli', 'main'), packageEntry('lib', 'index')];
  await build({
    ...IN_NODE,
    entryPoints,
    outdir,
    outbase: dirname(dirname(entryPoints[0] ?? '')),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // An image does not need the commands that bundle.
    external: ['esbuild'],
  });
}

/** Copies the page of the published package. In a clone, the page is built from its sources. */
async function copyConsolePage(root: string, outdir: string): Promise<void> {
  const built = join(root, 'dist', 'console');
  if (existsSync(join(root, 'cli', 'console', 'page'))) await writeConsolePage(root, outdir);
  else cpSync(built, outdir, { recursive: true });
}

async function bundleRelay(modules: readonly string[], outfile: string): Promise<void> {
  const relay = JSON.stringify(packageEntry('functions', 'relay-container'));
  const contents = [
    `import { relayContainer } from ${relay};`,
    ...imports(modules),
    `await relayContainer(${namesOf(modules)});`,
  ];
  await build({ ...IN_NODE, ...script(contents), outfile, plugins: [slimPackages, thisPackage] });
}

async function bundleModules(
  modules: readonly string[],
  definitions: readonly DesiredObject[],
  outfile: string,
): Promise<void> {
  const contents = [
    ...imports(modules),
    `const modules = [${namesOf(modules)}];`,
    "const isController = (value) => typeof value?.reconcile === 'function';",
    'export const controllers = modules.flatMap((each) => each.controllers ?? Object.values(each).filter(isController));',
    // A kind of defineKind contains its definition.
    'const brought = new Set(controllers.map(({ type }) => type?.definition?.metadata?.name));',
    `const given = ${JSON.stringify(definitions)};`,
    'export const definitions = given.filter(({ metadata }) => !brought.has(metadata.name));',
  ];
  await build({ ...IN_NODE, ...script(contents), outfile, external: ['evenkeel'] });
}

function imports(modules: readonly string[]): string[] {
  return modules.map((file, index) => `import * as module${index} from ${JSON.stringify(file)};`);
}

function namesOf(modules: readonly string[]): string {
  return modules.map((_, index) => `module${index}`).join(', ');
}

function script(lines: readonly string[]): Pick<BuildOptions, 'stdin'> {
  return { stdin: { contents: lines.join('\n'), resolveDir: packageRoot(), sourcefile: 'entry.js', loader: 'js' } };
}
