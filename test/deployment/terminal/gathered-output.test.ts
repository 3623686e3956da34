import { describe, expect, it } from 'vitest';
import { GatheredOutput } from '../../../lib/deployment/terminal/gathered-output.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function output() {
  const clock = new ManualClock();
  const written: string[] = [];
  return { clock, written, output: new GatheredOutput({ write: (text) => written.push(text) }, clock) };
}

describe('GatheredOutput', () => {
  it('R-5.13 a line is written at once when none was written before it', () => {
    const { output: it, written } = output();
    it.write('ready\n');
    expect(written).toEqual(['ready\n']);
  });

  it('R-5.13 lines are written together and in order when they follow within 50 ms', async () => {
    const { output: it, written, clock } = output();
    for (const line of ['1\n', '2\n', '3\n']) it.write(line);
    expect(written).toEqual(['1\n']);
    await clock.advance(50);
    expect(written).toEqual(['1\n', '2\n3\n']);
    it.write('4\n');
    await clock.advance(50);
    expect(written).toEqual(['1\n', '2\n3\n', '4\n']);
    await clock.advance(50);
    it.write('5\n');
    expect(written).toEqual(['1\n', '2\n3\n', '4\n', '5\n']);
  });

  it('R-5.13 lines stay in their order when another stream of the terminal is written', () => {
    const { output: it, written } = output();
    const errors = it.before({ write: (text) => written.push(text), isTTY: true, columns: 20 });
    it.write('1\n');
    it.write('2\n');
    errors.write('trouble\n');
    expect(written).toEqual(['1\n', '2\n', 'trouble\n']);
    expect([errors.isTTY, errors.columns]).toEqual([true, 20]);
  });

  it('R-5.13 nothing is lost or written twice when the output is flushed', async () => {
    const { output: it, written, clock } = output();
    it.write('1\n');
    it.write('2\n');
    it.flush();
    expect(written).toEqual(['1\n', '2\n']);
    await clock.advance(100);
    expect(written).toEqual(['1\n', '2\n']);
  });
});
