import { describe, expect, it, vi } from 'vitest';
import { runCommand, UsageError } from './command-line.ts';
import { readPlantedCommand } from './planted/planted-options.ts';
import { readSimCommand } from './sim-options.ts';

describe('the command line of npm run sim', () => {
  it.each([
    '--seeds abc',
    '--seeds 0',
    '--seeds -1',
    '--seeds',
    '--seed 1.5',
    '--seed 1e3',
    '--seed -1',
    '--seed=-1',
    '--seed 99999999999999999999',
    '--steps x',
    '--steps -1',
    '--minutes x',
    '--minutes 0',
    '--jobs 0',
    '--jobs x',
    '--log',
    '--log=',
    '--unknown',
    'positional',
    '--timeline --seeds 3',
    '--timeline --log a.jsonl',
    '--timeline --jobs 2',
    '--timeline --all',
    '--timeline --minutes 1',
  ])('R-5.5 refuses what it cannot run: %s', (line) => {
    expect(() => readSimCommand(line.split(' '))).toThrow(UsageError);
  });

  it.each([
    ['', { type: 'run', firstSeed: 1, seeds: 1_000_000, minutes: 3, all: false }],
    ['--seed 0', { type: 'run', firstSeed: 0, seeds: 1, minutes: 3, all: false }],
    ['--seeds 5 --jobs 1 --steps 0', { seeds: 5, jobs: 1, maxSteps: 0, minutes: Number.POSITIVE_INFINITY }],
    ['--minutes 0.5 --log a.jsonl --all', { minutes: 0.5, log: 'a.jsonl', all: true }],
    ['--seed 42 --steps 9 --timeline', { type: 'timeline', seed: 42, maxSteps: 9 }],
    ['--help', { type: 'help' }],
  ])('R-5.5 accepts what it can run: %s', (line, command) => {
    expect(readSimCommand(line === '' ? [] : line.split(' '))).toMatchObject(command);
  });

  it.each(['--seeds abc', '--seeds 0', '--jobs 0', '--jobs 1.5', '--only', '--unknown', 'positional'])(
    'R-5.5 that of npm run sim:planted refuses: %s',
    (line) => {
      expect(() => readPlantedCommand(line.split(' '))).toThrow(UsageError);
    },
  );

  it('R-5.5 prints one line with the error, and then the usage', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const code = await runCommand('USAGE', () => {
      readSimCommand(['--jobs', '-1']);
      return 0;
    });
    expect(code).toBe(2);
    expect(told.mock.calls.join()).toMatch(/^[^\n]*--jobs[^\n]*\n\nUSAGE$/);
    told.mockRestore();
  });
});
