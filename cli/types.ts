import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { EvenkeelError } from '../lib/core/errors.ts';
import { fileFault } from '../lib/deployment/files/file-fault.ts';
import type { RunCommand } from './command.ts';
import { kindModule, WRITTEN } from './types/kind-module.ts';
import { readDefinitions } from './types/read-definitions.ts';

/** `evenkeel types FILE [--out FILE]`: writes a module with `defineKind` for existing CustomResourceDefinitions. */
export const types: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const out = invocation.text('out');
  const { text, notes } = kindModule(readDefinitions(operand));
  for (const note of notes) terminal.err(`note: ${note}`);
  if (out === undefined) {
    for (const line of text.trimEnd().split('\n')) terminal.out(line);
    return 0;
  }
  writeModule(out, text);
  terminal.out(`${out} written`);
  return 0;
};

/** @throws EvenkeelError CANNOT_WRITE, also for a file that a person wrote. */
function writeModule(file: string, text: string): void {
  try {
    if (existsSync(file) && !readFileSync(file, 'utf8').startsWith(WRITTEN)) {
      const why = 'evenkeel types did not write this file, or somebody removed its first line, and would replace it';
      throw new EvenkeelError('CANNOT_WRITE', `${file}: ${why}. Name another file with --out.`);
    }
    writeFileSync(file, text);
  } catch (error) {
    if (error instanceof EvenkeelError) throw error;
    const { why, advice } = fileFault(error);
    throw new EvenkeelError('CANNOT_WRITE', `${file} cannot be written: ${why}. ${advice}.`, { cause: error });
  }
}
