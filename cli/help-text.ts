import type { CommandDefinition } from './command.ts';

export function generalHelp(commands: readonly CommandDefinition[]): string[] {
  return [
    'evenkeel: a serverless, event-driven reconciler for Kubernetes.',
    '',
    'Usage: evenkeel COMMAND [OPTION...]',
    '',
    ...columns(commands.map(({ name, operands, summary }) => [[name, ...operands].join(' '), summary])),
    '',
    'evenkeel COMMAND --help shows the options; evenkeel --version shows the version.',
  ];
}

export function commandHelp(command: CommandDefinition): string[] {
  const options = Object.entries(command.options).map(([name, { value, short, about }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  return [
    command.summary,
    '',
    `Usage: ${['evenkeel', command.name, ...command.operands].join(' ')} [OPTION...]`,
    '',
    ...columns([...options, ['-h, --help', 'Show this help.']]),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
  ];
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}
