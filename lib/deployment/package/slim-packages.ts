import type { Plugin } from 'esbuild';
import { packageRoot } from './package-root.ts';

/**
 * The parts of undici that lib/adapters use. The index of undici also loads fetch, mocks, caches and more. Any other
 * import fails the build. No proxy is included, because a cloud deployment reaches no cluster through one.
 */
const UNDICI = `
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import * as api from 'undici/lib/api/index.js';
Object.assign(Dispatcher.prototype, api);
export class ProxyAgent {
  constructor() {
    throw new Error('a cloud deployment reaches no cluster through a proxy');
  }
}
export { Agent, Dispatcher, Pool };
`;

/** Removes unused code from a bundle that esbuild cannot find by itself: half of the size. */
export const slimPackages: Plugin = {
  name: 'slim-packages',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim' }));
    build.onLoad({ filter: /^undici$/, namespace: 'slim' }, () => ({ contents: UNDICI, resolveDir: packageRoot() }));
    // Drops zod's messages in forty languages. English, the default, is imported elsewhere.
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
  },
};
