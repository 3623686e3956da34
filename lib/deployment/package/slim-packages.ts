import type { Plugin } from 'esbuild';
import { packageRoot } from './package-root.ts';

/**
 * Of undici what lib/adapters use; its index loads fetch, mocks, caches and more. Anything else fails the build. No cluster of a
 * cloud deployment is reached through a proxy, so there is none in a bundle.
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

/** Leaves out of a bundle what no function uses, of packages that a bundler cannot tell it of: half of its size. */
export const slimPackages: Plugin = {
  name: 'slim-packages',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim' }));
    build.onLoad({ filter: /^undici$/, namespace: 'slim' }, () => ({ contents: UNDICI, resolveDir: packageRoot() }));
    // Messages of zod in forty languages. English, which is the default, is imported elsewhere.
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
  },
};
