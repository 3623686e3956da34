import type { BuildOptions } from 'esbuild';

/** How esbuild makes the page of its sources, in `npm run build` and in a clone. */
export const PAGE_BUILD = {
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
  // It is sent to browsers, which have no use for them.
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'silent',
} satisfies BuildOptions;
