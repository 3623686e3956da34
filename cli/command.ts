import type { Terminal } from '../lib/deployment/terminal/terminal.ts';

/** One option as help shows it and the parser takes it. */
export interface OptionDefinition {
  /** What stands for its value in help; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** It may be given several times, or with commas between its values. */
  readonly many?: boolean;
  readonly about: string;
}

export interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  /** Its positional arguments, all required, e.g. `KIND/NAMESPACE/NAME`. */
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, OptionDefinition>>;
  readonly examples: readonly string[];
  /** Loaded when it is called, so that no command waits for another one's libraries. */
  load(): Promise<RunCommand>;
}

/** @returns the exit code. */
export type RunCommand = (invocation: Invocation, terminal: Terminal) => Promise<number>;

/** One call of a command, parsed and checked against its definition. */
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

  /** The value of an option that takes one. */
  text(option: string): string | undefined {
    const value = this.values.get(option);
    return value === true ? undefined : value;
  }

  /** The values of an option that takes many. */
  list(option: string): string[] {
    const values = this.text(option)?.split(',') ?? [];
    return values.map((value) => value.trim()).filter((value) => value !== '');
  }
}
