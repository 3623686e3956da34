import { posix } from 'node:path';
import { importSpecifiers, withoutComments } from './import-specifiers.ts';

/**
 * What each layer may import in addition to itself (design.md). `packages`: whether npm packages are allowed. Node's
 * own modules count as packages, except node:crypto, with which the core computes hashes.
 */
interface LayerRule {
  readonly imports: readonly Layer[];
  readonly packages: boolean | readonly string[];
}

type Layer =
  | 'core'
  | 'ports'
  | 'engine'
  | 'kit'
  | 'controllers'
  | 'manifest'
  | 'registration'
  | 'adapters'
  | 'apiserver'
  | 'testing'
  | 'plan'
  | 'exports'
  | 'deployment'
  | 'wiring'
  | 'functions'
  | 'cli'
  | 'cli wiring'
  | 'build'
  | 'infra';

const RULES: Readonly<Record<Layer, LayerRule>> = {
  core: { imports: [], packages: false },
  ports: { imports: ['core'], packages: false },
  // Messages come from outside, so the engine parses them by a schema.
  engine: { imports: ['core', 'ports'], packages: ['zod'] },
  // For authors of controllers: a schema parses specifications.
  kit: { imports: ['core', 'ports'], packages: ['zod'] },
  controllers: { imports: ['core', 'ports', 'kit'], packages: true },
  // Only lib/controllers/<group>/group.ts creates the clients that its controllers call.
  manifest: { imports: ['core', 'ports', 'kit', 'controllers', 'adapters'], packages: true },
  // lib/controllers/groups.ts has one line for each group.
  registration: { imports: ['manifest'], packages: false },
  adapters: { imports: ['core', 'ports'], packages: true },
  // A separate product. It uses the same code for clusters as the adapters, and nothing of the engine.
  apiserver: { imports: ['core', 'adapters'], packages: true },
  // The harness for authors runs the engine on in-memory adapters.
  testing: { imports: ['core', 'ports', 'engine', 'kit', 'controllers', 'adapters', 'apiserver'], packages: true },
  // Runs the engine on a copy of a cluster, in the embedded API server.
  plan: { imports: ['core', 'ports', 'engine', 'adapters', 'apiserver', 'testing'], packages: true },
  // lib/index.ts, what authors import.
  exports: { imports: ['core', 'ports', 'engine', 'kit'], packages: false },
  // Code that functions, command line and infra share. Only files named wiring* create adapters.
  deployment: { imports: ['core', 'ports', 'engine', 'kit', 'controllers', 'registration', 'wiring'], packages: true },
  wiring: { imports: ['core', 'ports', 'engine', 'controllers', 'adapters', 'deployment'], packages: true },
  functions: { imports: ['core', 'ports', 'engine', 'deployment', 'wiring'], packages: true },
  // It writes modules that call the kit.
  cli: {
    imports: ['core', 'ports', 'engine', 'kit', 'controllers', 'deployment', 'wiring', 'plan', 'cli wiring'],
    packages: true,
  },
  'cli wiring': {
    imports: [
      'core',
      'ports',
      'engine',
      'controllers',
      'adapters',
      'apiserver',
      'testing',
      'plan',
      'deployment',
      'wiring',
      'cli',
    ],
    packages: true,
  },
  build: { imports: ['deployment'], packages: true },
  // Its plugin reads the clusters of a stage.
  infra: { imports: ['core', 'ports', 'engine', 'controllers', 'deployment', 'wiring'], packages: true },
};

/** Adapters that others use: plain HTTP, this process and its clock, and servers on loopback. */
const SHARED_ADAPTERS: ReadonlySet<string | undefined> = new Set(['http', 'system', 'loopback']);
/** The stand-in for an identity server uses the same client. */
const STANDS_IN: Readonly<Record<string, readonly string[]>> = { local: ['keycloak'] };

const PURE_NODE_MODULES = new Set(['node:crypto']);

/** The code that checks the engine shares none of its decisions. */
const JUDGES = 'lib/testing/simulation/invariants/';

/** Time, randomness and ids are passed in, so that a seed replays exactly. */
const AMBIENT: readonly [RegExp, string][] = [
  [/\bDate\.now\s*\(/, 'Date.now()'],
  [/\bnew Date\s*\(\s*\)/, 'new Date()'],
  [/\bMath\.random\s*\(/, 'Math.random()'],
  [/\brandomUUID\b/, 'randomUUID'],
  [/\bperformance\.now\s*\(/, 'performance.now()'],
];
const TIMERS: readonly [RegExp, string][] = [
  [/\bset(?:Timeout|Interval|Immediate)\s*\(/, 'a timer'],
  [/\bAbortSignal\.timeout\s*\(/, 'AbortSignal.timeout()'],
];
const PURE_LAYERS: ReadonlySet<Layer> = new Set(['core', 'ports', 'engine', 'kit', 'controllers', 'manifest']);

/**
 * Every breach of the rules among some files.
 * @param files source text by path relative to the repository, e.g. `lib/core/event.ts`.
 */
export function layerBreaches(files: Readonly<Record<string, string>>): string[] {
  const breaches: string[] = [];
  for (const [path, source] of Object.entries(files)) {
    const layer = layerOf(path);
    if (layer === undefined) {
      breaches.push(`${path}: lies in no layer; put it in one, or name a new one in layer-rules.ts`);
      continue;
    }
    for (const specifier of importSpecifiers(source)) {
      const breach = importBreach(path, layer, specifier);
      if (breach !== undefined) breaches.push(breach);
    }
    breaches.push(...ambientBreaches(path, layer, source));
  }
  return breaches;
}

function layerOf(path: string): Layer | undefined {
  if (/^lib\/deployment\/wiring[^/]*\.ts$/.test(path)) return 'wiring';
  if (/^cli\/wiring[^/]*\.ts$/.test(path)) return 'cli wiring';
  for (const layer of ['functions', 'cli', 'build', 'infra'] as const) if (path.startsWith(`${layer}/`)) return layer;
  if (path === 'lib/index.ts') return 'exports';
  if (path === 'lib/controllers/groups.ts') return 'registration';
  if (/^lib\/controllers\/[^/]+\/group\.ts$/.test(path)) return 'manifest';
  const folder = /^lib\/([^/]+)\//.exec(path)?.[1];
  return folder !== undefined && folder in RULES ? (folder as Layer) : undefined;
}

function importBreach(path: string, layer: Layer, specifier: string): string | undefined {
  const rule = RULES[layer];
  if (!specifier.startsWith('.')) {
    if (rule.packages === true || PURE_NODE_MODULES.has(specifier)) return undefined;
    if (rule.packages !== false && rule.packages.includes(specifier)) return undefined;
    return `${path}: ${layer} may import no package, but imports ${specifier}`;
  }
  const imported = posix.normalize(posix.join(posix.dirname(path), specifier));
  const importedLayer = layerOf(imported);
  if (importedLayer === undefined) {
    return /\.(?:json|ya?ml)$/.test(imported) ? undefined : `${path}: imports ${imported}, which lies in no layer`;
  }
  const group = layer === 'registration' ? undefined : subfolder(imported, 'controllers');
  if (group !== undefined && group !== subfolder(path, 'controllers')) {
    return `${path}: only the registration may import the folder of a controller group, but it imports ${imported}`;
  }
  if (importedLayer === layer) {
    const own = subfolder(path, layer);
    const other = subfolder(imported, layer);
    if (layer === 'adapters' && own !== other && own !== undefined && other !== undefined) {
      if (SHARED_ADAPTERS.has(other) || STANDS_IN[own]?.includes(other) === true) return undefined;
      return `${path}: an adapter may not import another one's folder, but imports ${imported}`;
    }
    return undefined;
  }
  if (path.startsWith(JUDGES) && importedLayer === 'engine') {
    return `${path}: what judges the engine may not import it, but imports ${imported}`;
  }
  if (rule.imports.includes(importedLayer)) return undefined;
  return `${path}: ${layer} may not import ${importedLayer}, but imports ${imported}`;
}

function subfolder(path: string, layer: Layer): string | undefined {
  return new RegExp(`^lib/${layer}/([^/]+)/`).exec(path)?.[1];
}

function ambientBreaches(path: string, layer: Layer, source: string): string[] {
  if (layer === 'wiring' || layer === 'cli wiring' || path.startsWith('lib/adapters/system/')) return [];
  // It runs in a browser and has only the browser's clock.
  if (path.startsWith('cli/console/page/')) return [];
  const code = withoutComments(source);
  const forbidden = PURE_LAYERS.has(layer) ? [...AMBIENT, ...TIMERS] : AMBIENT;
  return forbidden
    .filter(([pattern]) => pattern.test(code))
    .map(([, name]) => `${path}: uses ${name}; take a clock, a random source or an id source as a parameter`);
}
