import { expect, it } from 'vitest';
import { authorErrorPrinter } from '../../../cli/local/author-error-printer.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { widgetController } from '../../support/widget.ts';

const own = widgetController({});
const target = { cluster: 'local', kind: 'widgets', namespace: 'default', name: 'one', uid: 'u' };

function printed(error: unknown, logFormat: 'text' | 'json' = 'text', controller: Controller = own): string[] {
  const terminal = new RecordedTerminal();
  const print = authorErrorPrinter(terminal, [own], logFormat, new ManualClock());
  print({ controller, target, passId: 'p', what: 'reconcile threw', error });
  expect(terminal.outLines).toEqual([]);
  return terminal.errLines;
}

class SizeError extends Error {
  readonly size = 7;
}

it.each([
  [
    'a thrown Error',
    new TypeError('text is undefined'),
    ['TypeError: text is undefined', 'author-error-printer.test.ts:'],
  ],
  ['its cause', new Error('outer', { cause: new RangeError('inner') }), ['Error: outer', 'cause', 'RangeError: inner']],
  ['its fields', new SizeError('too large'), ['too large', 'size: 7']],
  [
    'several at once',
    new AggregateError([new Error('first'), new Error('second')], 'both'),
    ['both', 'first', 'second'],
  ],
  ['a text', 'plain', ["'plain'"]],
])('R-6.4 %s is shown whole on the embedded cluster', (_what, error, parts) => {
  const [head, ...lines] = printed(error);
  expect(head).toMatch(/^\d\d:\d\d:\d\d {2}Widget default\/one {2}widget: reconcile threw$/);
  for (const part of parts) expect(lines.join('\n')).toContain(part);
  expect(lines.every((line) => line.startsWith('    ') && !line.includes('\n'))).toBe(true);
  const [json = '', ...more] = printed(error, 'json');
  expect(more).toEqual([]);
  const told = JSON.parse(json) as { error: string };
  expect(told).toMatchObject({ event: 'author-error', controller: 'widget', name: 'one', passId: 'p' });
  for (const part of parts) expect(told.error).toContain(part);
});

it('R-1.24 an error of a controller of this package is shown to nobody', () => {
  expect(printed(new Error('hunter2'), 'text', widgetController({}))).toEqual([]);
});

it('R-1.27 an error that throws when it is read is reported as such, or as far as it can be read', () => {
  const hostile = new Error('x');
  Object.defineProperty(hostile, 'stack', {
    get: () => {
      throw new Error('no');
    },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const error of [hostile, proxy]) expect(printed(error).length).toBeGreaterThan(1);
});
