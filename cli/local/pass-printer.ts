import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import type { PassReport } from '../../lib/engine/pass/pass-report.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import { isRoutine, passLine } from '../pass-line.ts';

/** Prints a line for each pass. Reports without a pass are printed only with --verbose. */
export function passPrinter(
  terminal: Terminal,
  registry: Registry,
  { logFormat, verbose }: { readonly logFormat: 'text' | 'json'; readonly verbose: boolean },
): (report: PassReport) => void {
  const kindOf = (id: string) => registry.controllerOf(id)?.type.kind ?? id;
  return (report) => {
    if (isRoutine(report) && !verbose) return;
    terminal.out(logFormat === 'json' ? passJson(report) : passLine(report, kindOf));
  };
}

function passJson({ target, startedAtMs, dueAtMs, ...rest }: PassReport): string {
  const next = dueAtMs === undefined ? {} : { next: new Date(dueAtMs).toISOString() };
  return JSON.stringify({ time: new Date(startedAtMs).toISOString(), event: 'pass', ...target, ...rest, ...next });
}
