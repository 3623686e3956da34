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
    const [topic] = rest;
    return topic === undefined ? { type: 'help' } : { type: 'help', command: commandNamed(topic, commands) };
  }
  const command = commandNamed(first, commands);
  return parseArguments(command, rest);
}

function commandNamed(word: string, commands: readonly CommandDefinition[]): CommandDefinition {
  const found = commands.find(({ name }) => name === word);
  if (found !== undefined) return found;
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
