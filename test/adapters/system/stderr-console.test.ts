import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StderrConsole } from '../../../lib/adapters/system/stderr-console.ts';

afterEach(() => vi.restoreAllMocks());

describe('the console on standard error', () => {
  it.each<[string, () => void, string]>([
    ['log', () => console.log('a %s', 'text'), 'a text\n'],
    ['info', () => console.info('text'), 'text\n'],
    ['debug', () => console.debug('text'), 'text\n'],
    ['dir', () => console.dir({ a: 1 }), '{ a: 1 }\n'],
    ['error', () => console.error('text'), 'text\n'],
    ['error and process.stdout.write', () => void process.stdout.write('text\n'), 'text\n'],
    ['group', () => [console.group('text'), console.groupEnd()], 'text\n'],
  ])('R-6.11 console.%s prints to standard error when the console is redirected', (_, print, printed) => {
    const stdout = vi.spyOn(process.stdout, 'write');
    const stream = new PassThrough({ encoding: 'utf8' });
    {
      using _redirected = new StderrConsole(stream);
      print();
    }
    expect(stream.read()).toBe(printed);
    expect(stdout).not.toHaveBeenCalled();
  });

  it('R-6.11 console prints as before when the redirection has ended', () => {
    const stream = new PassThrough({ encoding: 'utf8' });
    const { log, table } = console;
    const { write } = process.stdout;
    new StderrConsole(stream)[Symbol.dispose]();
    expect(console.log).toBe(log);
    expect(console.table).toBe(table);
    expect(process.stdout.write).toBe(write);
  });
});
