import { parseArgs } from 'node:util';
import { didYouMean } from '../lib/deployment/suggestion/closest-word.ts';
import { type CommandDefinition, Invocation, type OptionDefinition } from './command.ts';
import { UsageError } from './usage-error.ts';

export type ParsedCommandLine =
  | { readonly type: 'version' }
  | { readonly type: 'help'; readonly command?: CommandDefinition }
  | { readonly type: 'run'; readonly command: CommandDefinition; readonly invocation: Invocation };

/** @throws UsageError with the word that is wrong, a suggestion, and the help command. */
export function parseCommandLine(args: readonly string[], commands: readonly CommandDefinition[]): ParsedCommandLine {
  const [first, ...rest] = args;
  if (first === undefined || first === '--help' || first === '-h') return { type: 'help' };
  if (first === '--version' || first === '-V') return { type: 'version' };
  if (first === 'help') {
    return rest.length === 0 ? { type: 'help' } : { type: 'help', command: commandNamed(rest, commands).command };
  }
  const { command, words } = commandNamed(args, commands);
  return parseArguments(command, args.slice(words));
}

/** A command has one word, or two: `cluster add`. */
function commandNamed(
  args: readonly string[],
  commands: readonly CommandDefinition[],
): { readonly command: CommandDefinition; readonly words: number } {
  for (const words of [2, 1]) {
    const command = commands.find(({ name }) => name === args.slice(0, words).join(' '));
    if (command !== undefined) return { command, words };
  }
  const [word = ''] = args;
  const parts = commands.filter(({ name }) => name.startsWith(`${word} `)).map(({ name }) => name);
  if (parts.length > 0) {
    const usage = parts.map((name) => `evenkeel ${name}`).join(' or ');
    throw new UsageError(`"${word}" is not a whole command. Write ${usage}; see evenkeel ${parts[0]} --help.`);
  }
  const names = commands.map(({ name }) => name);
  if (word.startsWith('-')) {
    throw new UsageError(`"${word}" comes before a command. Write evenkeel COMMAND [OPTION...]; see evenkeel --help.`);
  }
  throw new UsageError(
    `there is no command "${word}".${didYouMean(word, names)} The commands are ${names.join(', ')}; see evenkeel --help.`,
  );
}

function parseArguments(command: CommandDefinition, args: readonly string[]): ParsedCommandLine {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, help: { short: 'h', about: '' } satisfies OptionDefinition }).map(
      ([name, { value, short }]: [string, OptionDefinition]) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          ...(short === undefined ? {} : { short }),
        },
      ],
    ),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  const values = new Map<string, string | true>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') return { type: 'help', command };
    const value = optionValue(command, token);
    const earlier = command.options[token.name]?.many === true ? values.get(token.name) : undefined;
    values.set(token.name, earlier === undefined ? value : `${earlier},${value}`);
  }
  checkOperands(command, operands);
  return { type: 'run', command, invocation: new Invocation(operands, values) };
}

function optionValue(
  command: CommandDefinition,
  token: { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
): string | true {
  const definition = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
  const seeHelp = `See evenkeel ${command.name} --help.`;
  if (definition === undefined) {
    const known = Object.keys(command.options);
    const closest = didYouMean(token.name, known).replace('"', '"--');
    throw new UsageError(`evenkeel ${command.name} has no option ${token.rawName}.${closest} ${seeHelp}`);
  }
  if (definition.value === undefined) {
    if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value. ${seeHelp}`);
    return true;
  }
  const isMissing = token.value === undefined || (token.inlineValue !== true && /^-./.test(token.value));
  if (isMissing || token.value === undefined || token.value === '') {
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${definition.value}. ${seeHelp}`);
  }
  if (definition.choices !== undefined && !definition.choices.includes(token.value)) {
    throw new UsageError(
      `${token.rawName} cannot be "${token.value}".${didYouMean(token.value, definition.choices)} It takes ${definition.choices.join(' or ')}.`,
    );
  }
  return token.value;
}

function checkOperands(command: CommandDefinition, operands: readonly string[]): void {
  const wanted = command.operands;
  if (operands.length === wanted.length) return;
  const usage = ['evenkeel', command.name, ...wanted].join(' ');
  const extra = operands[wanted.length];
  throw new UsageError(
    extra === undefined
      ? `${wanted[operands.length]} is missing: ${usage}. See evenkeel ${command.name} --help.`
      : `"${extra}" is one argument too many: ${usage}. See evenkeel ${command.name} --help.`,
  );
}
