import { describe, expect, it } from 'vitest';
import type { CommandDefinition, Invocation } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { parseCommandLine } from '../../cli/parse-command-line.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { EvenkeelError, FaultsError } from '../../lib/core/errors.ts';
import { packageVersion } from '../../lib/deployment/package/package-root.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

function parse(...args: string[]): Invocation {
  const parsed = parseCommandLine(args, COMMANDS);
  if (parsed.type !== 'run') throw new Error(`parsed as ${parsed.type}`);
  return parsed.invocation;
}

describe('parseCommandLine', () => {
  it('reads options and operands in any order', () => {
    const invocation = parse('explain', '-o', 'json', 'secon/default/web', '--state-dir=elsewhere');
    expect(invocation.operands).toEqual(['secon/default/web']);
    expect(invocation.text('output')).toBe('json');
    expect(invocation.text('state-dir')).toBe('elsewhere');
    expect(invocation.has('stage')).toBe(false);
  });

  it('reads switches', () => {
    const invocation = parse('start', '--empty', '-v');
    expect(invocation.has('empty')).toBe(true);
    expect(invocation.has('verbose')).toBe(true);
  });

  it('R-6.6 takes an option of many values several times, and with commas', () => {
    const invocation = parse(
      'start',
      '--controllers',
      'a.ts',
      '--controllers=b.ts, c.ts',
      '--port',
      '1',
      '--port',
      '2',
    );
    expect(invocation.list('controllers')).toEqual(['a.ts', 'b.ts', 'c.ts']);
    expect(invocation.list('settings')).toEqual([]);
    expect(invocation.text('port')).toBe('2');
  });

  it.each([
    [['strat'], 'there is no command "strat". Did you mean "start"?'],
    [['deploy'], 'there is no command "deploy". The commands are '],
    [['--empty'], '"--empty" comes before a command'],
    [['start', '--emtpy'], 'evenkeel start has no option --emtpy. Did you mean "--empty"?'],
    [['start', '-x'], 'evenkeel start has no option -x.'],
    [['start', '--empty=yes'], '--empty takes no value'],
    [['start', '--settings'], '--settings needs a value: --settings FILE'],
    [['start', '--settings', '--empty'], '--settings needs a value'],
    [['start', '--settings='], '--settings needs a value'],
    [['start', 'now'], '"now" is one argument too many: evenkeel start'],
    [['explain'], 'KIND/NAMESPACE/NAME is missing: evenkeel explain KIND/NAMESPACE/NAME'],
    [['explain', 'a/b/c', 'd/e/f'], '"d/e/f" is one argument too many'],
    [['list', '-o', 'jsn'], 'cannot be "jsn". Did you mean "json"? It takes text or json'],
    [['list', '--__proto__=x'], 'evenkeel list has no option --__proto__'],
    [['cluster'], '"cluster" is not a whole command. Write evenkeel cluster add or evenkeel cluster remove'],
    [['cluster', 'ad', 'east'], 'Write evenkeel cluster add or evenkeel cluster remove'],
    [['cluster', 'add'], 'NAME is missing: evenkeel cluster add NAME'],
    [['help', 'lst'], 'there is no command "lst". Did you mean "list"?'],
  ])('R-6.4 %j is refused with what to do', (args, expected) => {
    expect(() => parseCommandLine(args, COMMANDS)).toThrow(UsageError);
    expect(() => parseCommandLine(args, COMMANDS)).toThrow(expected);
  });
});

describe('runCommandLine', () => {
  async function run(args: string[], load: CommandDefinition['load'] = async () => async () => 0) {
    const terminal = new RecordedTerminal();
    const commands = COMMANDS.map((command) => ({ ...command, load }));
    const code = await runCommandLine(args, terminal, commands, () => 'Error at somewhere');
    return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
  }

  it.each([[['--version']], [['-V']]])('%j prints the version of the package', async (args) => {
    expect(await run(args)).toEqual({ code: 0, out: packageVersion(), err: '' });
  });

  it.each([[[]], [['--help']], [['-h']], [['help']]])('%j lists every command', async (args) => {
    const { code, out } = await run(args);
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) expect(out).toMatch(new RegExp(`${name}.*${summary.slice(0, 20)}`));
  });

  it.each(COMMANDS.map(({ name }) => [name]))(
    'help of %s names every option, whichever way it is asked for',
    async (name) => {
      const { out } = await run([...name.split(' '), '--help']);
      const definition = COMMANDS.find((command) => command.name === name);
      for (const option of Object.keys(definition?.options ?? {})) expect(out).toContain(`--${option}`);
      expect(out.split('\n').every((line) => line.length <= 130)).toBe(true);
      expect((await run(['help', ...name.split(' ')])).out).toBe(out);
    },
  );

  it('R-6.4 a command line that is not understood ends with 2, on standard error', async () => {
    const { code, out, err } = await run(['strat']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('evenkeel: there is no command "strat"');
  });

  it('R-6.4 a command that fails ends with 1 and its message, each line marked', async () => {
    const fail = async () => async () => {
      throw new FaultsError('X', ['first', 'second']);
    };
    expect(await run(['list'], fail)).toEqual({ code: 1, out: '', err: 'evenkeel: first\nevenkeel: second' });
  });

  it('R-6.4 a message that quotes a line end stays one line, and several faults are a line each', async () => {
    const holder = 'east\nevenkeel: all is well';
    const one = async () => async () => {
      throw new EvenkeelError('X', `driven by ${holder}`);
    };
    const many = async () => async () => {
      throw new FaultsError('X', [`driven by ${holder}`, 'second']);
    };
    for (const [load, lines] of [
      [one, [`evenkeel: driven by ${holder}`]],
      [many, [`evenkeel: driven by ${holder}`, 'evenkeel: second']],
    ] as const) {
      const terminal = new RecordedTerminal();
      await runCommandLine(
        ['list'],
        terminal,
        COMMANDS.map((command) => ({ ...command, load })),
        () => '',
      );
      expect(terminal.errLines).toEqual(lines);
    }
  });

  it('R-1.24 the text of an unforeseen error stays out', async () => {
    const fail = async () => async () => {
      throw new TypeError('hunter2');
    };
    const { code, err } = await run(['list'], fail);
    expect(code).toBe(1);
    expect(err).toContain('internal error: Error at somewhere');
    expect(err).not.toContain('hunter2');
  });

  it("a command's own exit code is the process's", async () => {
    expect((await run(['list'], async () => async () => 7)).code).toBe(7);
  });
});
