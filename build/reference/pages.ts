import type { DeclarationKind } from './code.ts';
import { type DocTag, type PublicExport, readExports } from './exports.ts';

interface Page {
  readonly file: string;
  readonly title: string;
  /** How an author writes the import. */
  readonly from: string;
  readonly about: string;
  readonly entryPoint: string;
  /** Of the entry point's exports, those on this page. */
  readonly shows: (exported: PublicExport) => boolean;
}

const isBuiltIn = ({ file }: PublicExport) => file.startsWith('lib/kit/built-in/');

/** The entry points of package.json, each with its pages. */
export const PAGES: readonly Page[] = [
  {
    file: 'evenkeel.md',
    title: 'evenkeel',
    from: 'evenkeel',
    about: 'What a controller is written with: kinds, controllers, outcomes, conditions and errors.',
    entryPoint: 'lib/index.ts',
    shows: (exported) => !isBuiltIn(exported),
  },
  {
    file: 'built-in-kinds.md',
    title: 'evenkeel: kinds of Kubernetes',
    from: 'evenkeel',
    about:
      'The kinds of Kubernetes that a controller can own or read with types, and the types of their objects. `kubectl explain` shows what each field means.',
    entryPoint: 'lib/index.ts',
    shows: isBuiltIn,
  },
  {
    file: 'testing.md',
    title: 'evenkeel/testing',
    from: 'evenkeel/testing',
    about: 'What a controller is tested with: the engine in memory, the simulation, and the replay of a pass.',
    entryPoint: 'lib/testing/index.ts',
    shows: () => true,
  },
  {
    file: 'lambda.md',
    title: 'evenkeel/lambda',
    from: 'evenkeel/lambda',
    about: 'The handlers of the functions in AWS. `evenkeel/serverless` writes the module that uses them.',
    entryPoint: 'functions/lambda.ts',
    shows: () => true,
  },
  {
    file: 'serverless.md',
    title: 'evenkeel/serverless',
    from: 'evenkeel/serverless',
    about: 'The plugin for `serverless.yml`. A project names it in `plugins` and does not import it.',
    entryPoint: 'infra/serverless-plugin.ts',
    shows: () => true,
  },
];

const CHAPTERS: readonly (readonly [DeclarationKind, string])[] = [
  ['function', 'Functions'],
  ['class', 'Classes'],
  ['constant', 'Constants'],
  ['type', 'Types'],
];

/** All public exports, by entry point. @param root the folder of the repository, with a slash at its end. */
export function publicExports(root: string): Map<string, PublicExport[]> {
  return readExports(root, [...new Set(PAGES.map(({ entryPoint }) => entryPoint))]);
}

/** The pages of docs/reference by file name. */
export function referencePages(exports: ReadonlyMap<string, readonly PublicExport[]>): Map<string, string> {
  return new Map([
    ['README.md', indexPage()],
    ...PAGES.map((page) => [page.file, pageOf(page, exports.get(page.entryPoint) ?? [])] as const),
  ]);
}

const ORIGIN = '<!-- Written by build/api-reference.ts from the doc comments of the sources. Edit these. -->';

function indexPage(): string {
  const rows = PAGES.map(({ file, title, about }) => `| [${title}](${file}) | ${about} |`);
  return `${ORIGIN}

# API reference

The exports of the package. [Writing a controller](../writing-a-controller.md) shows how they fit together.

| import | what it has |
|---|---|
${rows.join('\n')}
`;
}

function pageOf({ title, from, about, shows }: Page, all: readonly PublicExport[]): string {
  const exports = all.filter(shows);
  const chapters = CHAPTERS.flatMap(([kind, heading]) => {
    const found = exports.filter((exported) => exported.kind === kind);
    return found.length === 0 ? [] : [`## ${heading}`, ...found.map((exported) => entryOf(exported, from))];
  });
  return `${[ORIGIN, `# ${title}`, about, '[All pages](README.md)', ...chapters].join('\n\n')}\n`;
}

function entryOf({ name, kind, doc, tags, code }: PublicExport, from: string): string {
  const shown = name === 'default' ? `default export of ${from}` : name;
  const lines = tags.map(tagLine);
  const parts = [
    `### ${shown}${kind === 'function' ? '()' : ''}`,
    ...(doc === '' ? [] : [doc]),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ];
  return parts.join('\n\n');
}

function tagLine({ name, text }: DocTag): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ');
  if (name === 'throws') return `- Throws: ${line}`;
  if (name === 'returns') return `- Returns: ${line}`;
  if (name === 'deprecated') return `- Deprecated: ${line}`;
  const [, parameter, rest] = /^(?<parameter>\S+)\s+(?<rest>.*)$/.exec(line) ?? [];
  return name === 'param' && rest !== undefined ? `- \`${parameter}\`: ${rest}` : `- ${name}: ${line}`;
}
