import { describe, expect, it } from 'vitest';
import { printJson } from '../../../cli/print-json.ts';
import { StreamTerminal } from '../../../lib/deployment/terminal/terminal.ts';
import { ManualClock } from '../../support/manual-clock.ts';

class Sink {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 20;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

function terminal(isTTY: boolean) {
  const clock = new ManualClock();
  const stdout = new Sink(isTTY);
  const stderr = new Sink(isTTY);
  return { clock, stdout, stderr, terminal: new StreamTerminal(stdout, stderr, clock) };
}

describe('StreamTerminal', () => {
  it('results go to standard output and all else to standard error', () => {
    const { terminal: it, stdout, stderr } = terminal(false);
    it.out('result');
    it.err('trouble');
    expect([stdout.text, stderr.text]).toEqual(['result\n', 'trouble\n']);
  });

  it('on a terminal long work is one line that changes and goes', () => {
    const { terminal: it, stderr } = terminal(true);
    const progress = it.progress('listing 1');
    progress.update('listing 2');
    progress.end('listed');
    expect(stderr.text).toBe('\r\u001b[Klisting 1\r\u001b[Klisting 2\r\u001b[Klisted\n');
  });

  it('a line that is written meanwhile does not break the changing one', () => {
    const { terminal: it, stdout, stderr } = terminal(true);
    it.progress('working');
    it.out('a pass');
    expect(stdout.text).toBe('a pass\n');
    expect(stderr.text).toBe('\r\u001b[Kworking\r\u001b[K\r\u001b[Kworking');
  });

  it('the changing line never wraps', () => {
    const { terminal: it, stderr } = terminal(true);
    it.progress('x'.repeat(100));
    expect(stderr.text).toBe(`\r\u001b[K${'x'.repeat(19)}`);
  });

  it('elsewhere long work is a plain line now and then, without control characters', async () => {
    const { terminal: it, stderr, clock } = terminal(false);
    const progress = it.progress('listing 1');
    progress.update('listing 2');
    await clock.advance(5_000);
    progress.update('listing 3');
    progress.end('listed');
    expect(stderr.text).toBe('listing 1\nlisting 3\nlisted\n');
  });
});

/** Texts that would reach a person's terminal, by their effect there. */
const OBEYED: readonly [string, string, string][] = [
  ['a colour', '\u001b[31mred', '\\u001b[31mred'],
  ['a new title of the window', '\u001b]0;owned\u0007', '\\u001b]0;owned\\u0007'],
  ['a C1 introducer', '\u009b2J', '\\u009b2J'],
  ['a line of its own', 'first\nevenkeel: all is well', 'first\\nevenkeel: all is well'],
  ['a line written over', 'secret\rnothing', 'secret\\rnothing'],
  ['a deletion', 'ab\b\u007f', 'ab\\u0008\\u007f'],
  ['writing from right to left', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
  ['characters that are not seen', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\u00ad'],
  ['a tag outside the first plane', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ['other line ends', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
  ['half a character', 'a\ud83d', 'a\\ud83d'],
];

describe('what StreamTerminal is given from outside', () => {
  it.each(OBEYED)('R-6.4 %s is shown and not obeyed, on every way to a person', (_what, text, shown) => {
    for (const isTTY of [true, false]) {
      const { terminal: it, stdout, stderr } = terminal(isTTY);
      it.out(text);
      it.err(text);
      const progress = it.progress('x');
      progress.end(text);
      expect(stdout.text).toBe(`${shown}\n`);
      const changing = isTTY ? '\r\u001b[Kx\r\u001b[K' : 'x\n';
      expect(stderr.text).toBe(`${shown}\n${changing}${shown}\n`);
    }
  });

  it('R-6.4 the changing line shows it too, cut to the width of what is shown', () => {
    const { terminal: it, stderr } = terminal(true);
    it.progress('\u001b[2J\u202e\n0123456789').update('\u009b');
    expect(stderr.text).toBe('\r\u001b[K\\u001b[2J\\u202e\\n01\r\u001b[K\\u009b');
  });

  it('R-6.4 text of any script, emoji and backslashes stay as they are', () => {
    const { terminal: it, stdout } = terminal(false);
    const text = 'Größe 東京 שלום 😀 \\u001b \\n';
    it.out(text);
    expect(stdout.text).toBe(`${text}\n`);
  });

  it.each(OBEYED)('R-6.4 JSON with %s stays JSON of the same value', (_what, text) => {
    const { terminal: it, stdout } = terminal(false);
    const value = { items: [{ [text]: text, list: [1, text] }] };
    printJson(value, it);
    it.out(JSON.stringify(value));
    const lines = stdout.text.trimEnd().split('\n');
    expect(JSON.parse(lines.slice(0, -1).join('\n'))).toEqual(value);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual(value);
    expect(stdout.text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  });
});
