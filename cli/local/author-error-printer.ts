import type { Controller } from '../../lib/core/controller.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import type { AuthorError } from '../../lib/engine/author/author-error.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { wholeError } from '../wiring-terminal.ts';

/**
 * Prints the errors of other authors' controllers with text and stack. Only for the embedded cluster, where the values
 * belong to the user (docs/decisions/0007).
 */
export function authorErrorPrinter(
  terminal: Terminal,
  own: readonly Controller[],
  logFormat: 'text' | 'json',
  clock: Clock,
): (error: AuthorError) => void {
  return ({ controller, target, passId, what, error }) => {
    if (!own.includes(controller)) return;
    const lines = wholeError(error);
    const time = new Date(clock.now()).toISOString();
    const { kind, namespace, name } = target;
    if (logFormat === 'json') {
      const told = { time, level: 'error', event: 'author-error', controller: controller.name, what };
      terminal.err(JSON.stringify({ ...told, kind, namespace, name, passId, error: lines.join('\n') }));
      return;
    }
    const object = `${controller.type.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
    terminal.err(`${time.slice(11, 19)}  ${object}  ${controller.name}: ${what}`);
    for (const line of lines) terminal.err(`    ${line}`);
  };
}
