import { describe, expect, it } from 'vitest';
import { StreamTerminal } from '../../../functions/cli/terminal.ts';
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
