import { type BuildOptions, build } from 'esbuild';

/** The build options for the console's page. */
const PAGE: BuildOptions = {
  entryPoints: [
    { in: 'cli/console/page/main.tsx', out: 'main' },
    { in: 'cli/console/page/style.css', out: 'main' },
  ],
  bundle: true,
  minify: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // Browsers get the page without source maps.
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'silent',
};

/**
 * Writes dist/console, for `npm run build`. @param root the root of the repository. @param outdir relative to it, or
 * absolute.
 */
export async function writeConsolePage(root: string, outdir = 'dist/console'): Promise<void> {
  await build({ ...PAGE, absWorkingDir: root, outdir });
}

/** Builds the page's script and style in memory. @param root the root of a clone. */
export async function buildConsolePage(root: string): Promise<[script: string, style: string]> {
  const { outputFiles } = await build({ ...PAGE, absWorkingDir: root, outdir: 'dist/console', write: false });
  const fileOf = (ending: string) => outputFiles?.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return [fileOf('.js'), fileOf('.css')];
}
