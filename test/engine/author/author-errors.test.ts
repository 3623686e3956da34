import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import { retry, settled } from '../../../lib/core/outcome.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import { createWidget, Widgets, widgetWorld } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
type Part = Partial<Controller>;

async function run(part: Part, deleting = false) {
  const world = await widgetWorld(part);
  const metadata = { namespace: 'default', name: 'one', ...(deleting && { finalizers: [FINALIZER] }) };
  const widget = deleting ? await world.create(Widgets, { metadata, spec: {} }) : await createWidget(world);
  if (deleting) await world.remove(Widgets, widget);
  await world.sender.sendAll('events', [world.event(Widgets, widget, { cause: 'requested' })]);
  await world.drain();
  const state = await world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid });
  return { world, state, report: world.reports.at(-1) };
}

const boom = () => new RangeError('hunter2 is no size', { cause: new Error('read hunter2') });
const FINALIZING: Part = { finalizer: FINALIZER };

const ERRORS: readonly [string, Part, boolean, string][] = [
  ['reconcile throws', { reconcile: async () => Promise.reject(boom()) }, false, 'reconcile threw'],
  [
    'reconcile gives to retry',
    { reconcile: async () => ({ outcome: retry(boom()) }) },
    false,
    'reconcile asked for a retry',
  ],
  ['finalize throws', { ...FINALIZING, finalize: async () => Promise.reject(boom()) }, true, 'finalize threw'],
  [
    'finalize gives to retry',
    { ...FINALIZING, finalize: async () => ({ done: false, outcome: retry(boom()) }) },
    true,
    'finalize asked for a retry',
  ],
  [
    'reconcile leaves uncaught',
    {
      reconcile: async () => {
        void Promise.reject(boom());
        return { outcome: settled() };
      },
    },
    false,
    'reconcile left an error that nobody caught',
  ],
];

describe('an error of an author', () => {
  it.each(ERRORS)(
    'R-6.4 an error that %s has its whole text in the test world, and none elsewhere',
    async (_how, part, deleting, what) => {
      const { world, state, report } = await run(part, deleting);
      expect(world.errors).toMatchObject([{ what, controller: { name: 'widget' }, target: { name: 'one' } }]);
      const { error, passId } = world.errors[0] ?? {};
      expect(error).toMatchObject({ message: 'hunter2 is no size', cause: { message: 'read hunter2' } });
      expect((error as Error).stack).toMatch(/author-errors\.test\.ts:\d+/);
      expect(report).toMatchObject({ end: 'committed', outcome: 'retry', passId });
      expect(report?.thrown).toBe(error);
      expect(JSON.stringify(state)).not.toContain('hunter2');
      expect(JSON.stringify({ ...report, thrown: undefined })).not.toContain('hunter2');
    },
  );

  it.each<[string, unknown]>([
    ['a text', 'hunter2'],
    ['undefined', undefined],
    ['a terminal error', new TerminalError('NoSize', 'spec.size is missing')],
    ['a revoked proxy', revoked()],
  ])('R-1.27 an error is reported for any thrown value: %s', async (_what, thrown) => {
    const { world } = await run({ reconcile: async () => Promise.reject(thrown) });
    expect(world.errors).toHaveLength(1);
    expect(Object.is(world.errors[0]?.error, thrown)).toBe(true);
  });

  it.each<[string, Part]>([
    ['no error', { reconcile: async () => ({ outcome: settled() }) }],
    ['a result that is none', { reconcile: async () => undefined as never }],
    [
      'what the API server refused',
      {
        reconcile: async (_object, context) => {
          await context.create(Secrets, {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'A B', namespace: 'default' },
          });
          return { outcome: settled() };
        },
      },
    ],
  ])('R-6.4 no error is reported for %s, because the line of the pass has everything', async (_what, part) => {
    const { world, report } = await run(part);
    expect(world.errors).toEqual([]);
    expect(report).not.toHaveProperty('thrown');
  });

  it('R-1.27 the error names the valid results when a controller returns none', async () => {
    const { report } = await run({ reconcile: async () => undefined as never });
    expect(report?.message).toBe('reconcile returned undefined: return { outcome }, or { outcome, status }');
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
