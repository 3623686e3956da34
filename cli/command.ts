import type { Terminal } from '../lib/deployment/terminal/terminal.ts';

/** One option, for the help text and for the parser. */
export interface OptionDefinition {
  /** The placeholder for its value in the help text; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** It may be given several times, or with a comma between its values. */
  readonly many?: boolean;
  readonly about: string;
}

export interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  /** Its positional arguments, e.g. `KIND/NAMESPACE/NAME`. All are required. */
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, OptionDefinition>>;
  readonly examples: readonly string[];
  /** Called when the command runs, so that no command waits for the libraries of another one. */
  load(): Promise<RunCommand>;
}

/** @returns the exit code. */
export type RunCommand = (invocation: Invocation, terminal: Terminal) => Promise<number>;

/** One call of a command, after parsing and checks. */
export class Invocation {
  readonly operands: readonly string[];
  private readonly values: ReadonlyMap<string, string | true>;

  constructor(operands: readonly string[], values: ReadonlyMap<string, string | true>) {
    this.operands = operands;
    this.values = values;
  }

  has(option: string): boolean {
    return this.values.has(option);
  }

  /** The value of an option with one value. */
  text(option: string): string | undefined {
    const value = this.values.get(option);
    return value === true ? undefined : value;
  }

  /** The values of an option with several values. */
  list(option: string): string[] {
    const values = this.text(option)?.split(',') ?? [];
    return values.map((value) => value.trim()).filter((value) => value !== '');
  }
}
