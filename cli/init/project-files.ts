import { stringify } from 'yaml';
import type { ProjectNames } from './project-names.ts';

/** The exact versions of packages in a new project. */
export type Versions = Readonly<Record<string, string>>;

/** The files of a new project that are not sources. */
export function projectFiles(names: ProjectNames, versions: Versions): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(names, versions), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    [`examples/${names.singular}.yaml`]: example(names),
    'serverless.yml': serverless(names),
    'stages/dev.yml': STAGE,
    '.github/workflows/ci.yml': CI,
    '.gitignore': ['node_modules/', 'generated/', '.evenkeel/', '.serverless/', ''].join('\n'),
    'README.md': readme(names),
  };
}

function manifest({ name }: ProjectNames, versions: Versions): object {
  const pinned = (packages: readonly string[]) => Object.fromEntries(packages.map((one) => [one, versions[one]]));
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=24.0.0' },
    scripts: {
      dev: 'evenkeel dev',
      test: 'node --test',
      check: 'tsc --noEmit',
      manifests: 'evenkeel manifests --controllers controllers.ts --out manifests',
      deploy: 'serverless deploy',
    },
    dependencies: pinned(['evenkeel', 'zod']),
    devDependencies: pinned(['@types/node', 'esbuild', 'osls', 'typescript']),
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'esnext.array'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

function example({ group, kind }: ProjectNames): string {
  return `apiVersion: ${group}/v1
kind: ${yamlText(kind)}
metadata:
  name: hello
  namespace: default
spec:
  message: ahoy
`;
}

/** A YAML string for every YAML version: without quotes, `null` would not be a string. */
function yamlText(text: string): string {
  return stringify(text, { version: '1.1', singleQuote: true }).trimEnd();
}

function serverless({ name }: ProjectNames): string {
  return `# A deployment in AWS: npx serverless deploy --stage dev. stages/dev.yml describes the stage.
service: '${name}'
frameworkVersion: '4'
provider:
  name: aws
plugins:
  - evenkeel/serverless
`;
}

const STAGE = `# What npx serverless deploy --stage dev deploys. Clusters are not listed here: evenkeel cluster add registers them.
controllers: ./controllers.ts

# Every field is in node_modules/evenkeel/docs/settings.md.
settings:
  concurrency: 40
  resyncConcurrency: 20

# Every field is in node_modules/evenkeel/docs/operations.md.
cloud:
  region: eu-central-1
  # npx serverless remove --stage dev may delete the table.
  deletionProtection: false
  logRetentionDays: 7
`;

const CI = `name: ci
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run check
      - run: npm test
      - run: npm run manifests -- --check
`;

function readme({ name, kind, plural, group, singular }: ProjectNames): string {
  return `# ${name}

A Kubernetes controller of the kind ${kind} (${plural}.${group}), on evenkeel.

\`\`\`sh
npm install
npm run manifests   # writes the CRD and the roles that the controller needs; commit them
npm test            # the controller on the engine in memory, then in a simulation with faults
npm run dev         # the controller on an embedded cluster; each save is used from the next pass on
\`\`\`

If npm does not have the version of evenkeel in package.json, run \`npm pack\` in a clone of evenkeel. Then run
\`npm install FILE\` here with the file that it made.

In another terminal, while \`npm run dev\` runs:

\`\`\`sh
kubectl --kubeconfig .evenkeel/kubeconfig apply -f examples/${singular}.yaml
kubectl --kubeconfig .evenkeel/kubeconfig get ${plural},configmaps
npx evenkeel explain ${singular}/default/hello
\`\`\`

| file | |
|---|---|
| controllers.ts | the kind and its controller |
| controllers.test.ts | a test on the whole engine, in memory |
| controllers.simulation.test.ts | a simulation with crashes, lost answers and users who interfere |
| manifests/ | the CRD and the roles, written by \`npm run manifests\`: \`kubectl apply --server-side -k manifests\` |
| stages/dev.yml, serverless.yml | the deployment in AWS: \`npm run deploy -- --stage dev\` |

node_modules/evenkeel/docs/writing-a-controller.md explains how a controller is written.
`;
}
