import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { packageRoot } from './package-root.ts';
import { slimPackages } from './slim-packages.ts';

export const FUNCTION_PARTS = ['reconcile', 'wake', 'sweep', 'resync', 'relay'] as const;

/**
 * Defines `require`, because some CommonJS packages load modules of Node.js at run time, and an ES module has no
 * `require`.
 */
const REQUIRE =
  "import{createRequire as evenkeelRequire}from'node:module';const require=evenkeelRequire(import.meta.url);";

/** Build options of a bundle that runs on Node.js without installed packages. */
export const IN_NODE = {
  bundle: true,
  minify: true,
  // Code recognizes errors by the names of their classes.
  keepNames: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [slimPackages],
  logLevel: 'warning',
} as const satisfies BuildOptions;

export interface Bundle {
  readonly name: string;
  readonly file: string;
  /** Without the source map. */
  readonly bytes: number;
}

/**
 * Bundles functions/<name>.ts for Lambda's Node.js. Only code that packages a deployment may import this file, because
 * esbuild is a development dependency.
 * @param folder the bundles are written to <folder>/<name>/index.mjs, and replace existing ones.
 * @param modules absolute paths of modules with an author's controllers; the functions run these too.
 * @returns the bundles, in the order of the names.
 */
export async function bundleFunctions(
  names: readonly string[] = FUNCTION_PARTS,
  folder: string = join(packageRoot(), 'infra', 'generated'),
  modules: readonly string[] = [],
): Promise<Bundle[]> {
  const root = packageRoot();
  return await Promise.all(
    names.map(async (name) => {
      const outdir = join(folder, name);
      rmSync(outdir, { recursive: true, force: true });
      const file = join(outdir, 'index.mjs');
      await build({
        absWorkingDir: root,
        ...entryOf(name, modules),
        outfile: file,
        ...IN_NODE,
        plugins: [slimPackages, thisPackage],
      });
      return { name, file, bytes: statSync(file).size };
    }),
  );
}

/**
 * The entry point: a function of this package, or a function that passes the modules' controllers to the handlers of
 * `evenkeel/lambda`.
 */
function entryOf(name: string, modules: readonly string[]): Pick<BuildOptions, 'entryPoints' | 'stdin'> {
  if (modules.length === 0) return { entryPoints: [packageEntry('functions', name)] };
  const imports = modules.map((file, index) => `import * as module${index} from ${JSON.stringify(file)};`);
  const contents = [
    ...imports,
    "import { handlers } from 'evenkeel/lambda';",
    `export const handler = handlers(${modules.map((_, index) => `module${index}`).join(', ')}).${name};`,
  ].join('\n');
  return { stdin: { contents, resolveDir: dirname(modules[0] ?? ''), sourcefile: `${name}.js`, loader: 'js' } };
}

/** A source file of this package; in the published package, the built file. */
export function packageEntry(...path: readonly string[]): string {
  const source = `${join(packageRoot(), ...path)}.ts`;
  return existsSync(source) ? source : `${join(packageRoot(), 'dist', ...path)}.js`;
}

/**
 * Makes the functions and an author's modules use one copy of this package, because the engine recognizes an error by
 * its class.
 */
export const thisPackage: Plugin = {
  name: 'this-package',
  setup(build) {
    build.onResolve({ filter: /^evenkeel$/ }, () => ({ path: packageEntry('lib', 'index') }));
    build.onResolve({ filter: /^evenkeel\/lambda$/ }, () => ({ path: packageEntry('functions', 'lambda') }));
  },
};
