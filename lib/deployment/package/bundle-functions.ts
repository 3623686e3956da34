import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from './package-root.ts';
import { slimPackages } from './slim-packages.ts';

export const FUNCTION_PARTS = ['reconcile', 'wake', 'sweep', 'resync', 'relay'] as const;

/** Some CommonJS packages require Node's own modules at run time, which an ES module has no `require` for. */
const REQUIRE =
  "import{createRequire as evenkeelRequire}from'node:module';const require=evenkeelRequire(import.meta.url);";

export interface Bundle {
  readonly name: string;
  readonly file: string;
  /** Without its source map. */
  readonly bytes: number;
}

/**
 * Bundles functions/<name>.ts for Lambda's Node.js, or for a container's. Only what packages a deployment may import this file:
 * esbuild is a development dependency.
 * @param folder the bundles are written to <folder>/<name>/index.mjs, in place of what is there.
 * @returns the bundles, in the order asked for.
 */
export async function bundleFunctions(
  names: readonly string[] = FUNCTION_PARTS,
  folder: string = join(packageRoot(), 'infra', 'generated'),
): Promise<Bundle[]> {
  const root = packageRoot();
  return await Promise.all(
    names.map(async (name) => {
      const outdir = join(folder, name);
      rmSync(outdir, { recursive: true, force: true });
      const file = join(outdir, 'index.mjs');
      await build({
        absWorkingDir: root,
        entryPoints: [`functions/${name}.ts`],
        outfile: file,
        bundle: true,
        minify: true,
        // Errors are told by the names of their classes.
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
      });
      return { name, file, bytes: statSync(file).size };
    }),
  );
}
