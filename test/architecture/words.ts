/**
 * Words that make a sentence hard to read for somebody who learned English as a second language, each with plain ones.
 * Add a word when the last text no longer contains it.
 */
const BANNED: readonly { readonly word: RegExp; readonly plain: string }[] = [
  { word: /\banew\b/i, plain: 'again' },
  { word: /\bwhoever(?:'s)?\b/i, plain: 'name the one who does it' },
  { word: /\bmeanwhile\b/i, plain: 'during that, in between, since' },
  { word: /\bthereby\b/i, plain: 'by this' },
  { word: /\bbesides?\b/i, plain: 'next to, in addition to, also' },
  { word: /\bis for (?:[\w']+ ){1,4}to tell\b/i, plain: 'the next read shows' },
];

/** The banned words in a text, each with its line. */
export function bannedWords(text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED.flatMap(({ word, plain }) => {
      const found = word.exec(line);
      return found === null ? [] : [`${index + 1}: "${found[0]}": write ${plain}`];
    }),
  );
}

/** The comments and strings of a TypeScript source, on their lines. All code is replaced by blanks. */
export function commentsAndStrings(source: string): string {
  const texts = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  let at = 0;
  let kept = '';
  for (const { 0: text, index } of source.matchAll(texts)) {
    kept += blank(source.slice(at, index)) + text.replace(/\$\{[^{}]*\}/g, blank);
    at = index + text.length;
  }
  return kept + blank(source.slice(at));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** The paths and headings that a page links to, without other sites. */
export function links(page: string): string[] {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)].flatMap(({ groups }) =>
    groups?.target === undefined || /^[a-z]+:/.test(groups.target) ? [] : [groups.target],
  );
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchors(page: string): Set<string> {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (?<heading>.+)$/gm)].map(({ groups }) => groups?.heading ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

export interface Term {
  readonly term: string;
  readonly meaning: string;
  /** The file where it lives, as the glossary's row links it. */
  readonly file: string | undefined;
}

/** The rows of the glossary's tables of terms. */
export function glossaryTerms(page: string): Term[] {
  return page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    // An empty cell before the first bar and after the last, and six between.
    if (cells.length !== 8 || cells[1] === 'term' || /^-+$/.test(cells[1] ?? '')) return [];
    return [{ term: cells[1] ?? '', meaning: cells[2] ?? '', file: links(cells[6] ?? '')[0] }];
  });
}
