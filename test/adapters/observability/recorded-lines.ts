import type { LogOutput } from '../../../lib/adapters/observability/json-logger.ts';

/** Keeps the lines that were written. */
export class RecordedLines implements LogOutput {
  readonly lines: string[] = [];

  line(text: string): void {
    this.lines.push(text);
  }

  get text(): string {
    return this.lines.join('\n');
  }
}
