import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importSpecifiers, withoutComments } from './import-specifiers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The entry of everything that a person runs in a terminal: the command line, and the parts that it loads by name. */
const ENTRY = 'cli/main.ts';

/** Gives the streams of the process to StreamTerminal. Only StreamTerminal writes to them. */
const WIRING = 'lib/deployment/wiring-process-terminal.ts';

/**
 * The first asks its fixed questions there. The second starts a process that shows its text through the same wiring.
 * The third shows the output of an author's code.
 */
const OTHERS = ['cli/wiring-terminal.ts', 'cli/dev/version-process.ts', 'lib/adapters/system/stderr-console.ts'];

const WRITES: readonly RegExp[] = [
  /\bprocess\s*\.\s*(?:stdout|stderr)\b/,
  /\bprocess\s*\[/,
  /\bconsole\s*\.\s*(?:assert|debug|dir|error|group|info|log|table|trace|warn)\b|\bconsole\s*\[/,
  /\bnode:console\b/,
  /\bwriteSync\s*\(\s*[12]\b/,
  /\/dev\/(?:tty|stdout|stderr)\b/,
  /\bstdio\b[^\n]*['"]inherit['"]/,
];

/** Whether a source writes to a terminal without StreamTerminal. */
function writesItself(source: string): boolean {
  const code = withoutComments(source);
  return WRITES.some((pattern) => pattern.test(code));
}

/** Every source of this repository that the command line loads, at once or late. */
function reachedFrom(entry: string): Map<string, string> {
  const sources = new Map<string, string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    // An import in the text of a file that `evenkeel init` writes does not name a file of this repository.
    if (sources.has(path) || !existsSync(`${ROOT}${path}`)) continue;
    const source = readFileSync(`${ROOT}${path}`, 'utf8');
    sources.set(path, source);
    for (const specifier of importSpecifiers(source)) {
      if (specifier.startsWith('.') && specifier.endsWith('.ts'))
        open.push(posix.normalize(posix.join(posix.dirname(path), specifier)));
    }
  }
  return sources;
}

describe('what the command line loads', () => {
  it('R-6.4 writes to a terminal in one place, which makes text safe to show', () => {
    const sources = reachedFrom(ENTRY);
    for (const path of ['cli/start.ts', 'cli/wiring-local.ts', 'lib/engine/pass/pass-runner.ts']) {
      expect([...sources.keys()]).toContain(path);
    }
    const writers = [...sources].filter(([, source]) => writesItself(source)).map(([path]) => path);
    expect(writers.filter((path) => !OTHERS.includes(path))).toEqual([WIRING]);
    expect(sources.get(WIRING)?.match(/process\.std(?:out|err)\b/g)).toHaveLength(5);
    expect(sources.get(WIRING)).not.toMatch(/\.write\(/);
  });

  it.each([
    'process.stdout.write(text);',
    'const { log } = process["stdout"];',
    'console.log(text);',
    "import { log } from 'node:console';",
    'writeSync(2, text);',
    "createWriteStream('/dev/tty')",
    "spawn('less', { stdio: 'inherit' })",
    "spawn('less', { stdio: ['pipe', 'inherit'] })",
  ])('another way to a terminal is found: %s', (source) => {
    expect(writesItself(source)).toBe(true);
  });

  it.each(['terminal.out(text);', '// console.log(text)', 'writeSync(file, text);', 'const console_ = 1;'])(
    'what does not write to one passes: %s',
    (source) => {
      expect(writesItself(source)).toBe(false);
    },
  );
});
