import { describe, expect, it } from 'vitest';
import { type ConditionInput, mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { ReconcileResult } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt, settled } from '../../../lib/core/outcome.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const PLAIN = ['Reconciling', 'Stalled'];

type Step = (widget: KubeObject) => ReconcileResult;

const fails: Step = () => {
  throw new Error('secret text');
};
const isTerminal: Step = () => {
  throw new TerminalError('Bad', 'spec.a is bad');
};
const settles: Step = () => ({ outcome: settled() });
const asks: Step = () => ({ outcome: checkAt(Date.UTC(2026, 0, 2)) });

function shows(type: string, status: ConditionInput['status']): Step {
  return (widget) => {
    const input = { type, status, reason: 'Own', message: 'm' };
    const generation = widget.metadata.generation ?? 0;
    const conditions = mergeConditions(readConditions(widget.status), [input], generation, Date.UTC(2026, 0, 1));
    const published = conditions.filter((each) => each.type === type);
    return { outcome: settled(), status: { observedGeneration: generation, conditions: published } as JsonObject };
  };
}

/** The conditions after these passes of a plain controller, each as `Ready=True Own`. */
async function conditionsAfter(main: readonly string[], steps: readonly Step[]): Promise<string[]> {
  let step: Step = settles;
  const conditions = [...main, ...PLAIN];
  const world = new World({ controllers: [widgetController({ conditions, reconcile: async (w) => step(w) })] });
  await world.install([WIDGET_DEFINITION]);
  const widget = await createWidget(world, 'one', {});
  for (step of steps) {
    await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget), { cause: 'requested' }));
  }
  const found = readConditions((await world.read(Widgets, widget)).status);
  return found.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

describe('a plain controller that declares Reconciling and Stalled', () => {
  it.each<[string, readonly string[], readonly Step[], readonly string[]]>([
    ['two passes fail', ['Ready'], [fails, fails], ['Ready=Unknown Retrying', 'Reconciling=True Retrying']],
    ['two passes fail', ['Available'], [fails, fails], ['Available=Unknown Retrying', 'Reconciling=True Retrying']],
    ['two passes fail', [], [fails, fails], ['Reconciling=True Retrying']],
    [
      'two passes fail and it was True',
      ['Available'],
      [shows('Available', 'True'), fails, fails],
      ['Available=Unknown Retrying', 'Reconciling=True Retrying'],
    ],
    [
      'two passes fail and it was False',
      ['Available'],
      [shows('Available', 'False'), fails, fails],
      ['Available=False Own', 'Reconciling=True Retrying'],
    ],
  ])('R-6.13 an object shows a main condition that its kind has when %s: %j', async (_, main, steps, expected) => {
    expect((await conditionsAfter(main, steps)).sort()).toEqual([...expected].sort());
  });

  it.each<[string, readonly string[], readonly Step[], readonly string[]]>([
    ['settles', ['Ready'], [fails, fails, settles], []],
    ['settles', ['Available'], [fails, fails, settles], []],
    ['settles', [], [fails, fails, settles], []],
    ['asks for a time', ['Ready'], [fails, fails, asks], []],
    ['settles after a terminal error', ['Ready'], [isTerminal, settles], []],
    ['settles, and Ready was True', ['Ready'], [shows('Ready', 'True'), fails, fails, settles], []],
    [
      'settles, and its own Ready is False',
      ['Ready'],
      [shows('Ready', 'False'), fails, fails, settles],
      ['Ready=False Own', 'Stalled=True Own'],
    ],
    [
      'asks for a time, and its own Ready is False',
      ['Ready'],
      [shows('Ready', 'False'), fails, fails, asks],
      ['Ready=False Own', 'Reconciling=True Own'],
    ],
    ['settles, and its own Ready is True', ['Ready'], [shows('Ready', 'True'), settles], ['Ready=True Own']],
    ['settles, and there is no status', ['Ready'], [settles], []],
    ['ends for good, and the kind has no main condition', [], [fails, fails, isTerminal], ['Stalled=True Bad']],
  ])(
    'R-6.13 an object shows nothing of failed passes when the next one returns no status and %s: %j',
    async (_, main, steps, expected) => {
      expect((await conditionsAfter(main, steps)).sort()).toEqual([...expected].sort());
    },
  );

  it('R-6.13 an object shows nothing of a failed pass when that pass died before its commit and the next one settles', async () => {
    const conditions = ['Ready', ...PLAIN];
    const world = new World({ controllers: [widgetController({ conditions, reconcile: async (w) => step(w) })] });
    let step = fails;
    await world.install([WIDGET_DEFINITION]);
    const widget = await createWidget(world, 'one', {});
    const pass = async () =>
      await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget), { cause: 'requested' }));
    await pass();
    const { status } = await world.read(Widgets, widget);
    expect(readConditions(status)).toHaveLength(2);
    // The same status on an object that the table does not know.
    const other = await createWidget(world, 'other', {});
    await world.edit(Widgets, other, { status: status as JsonObject }, 'status');
    step = settles;
    await world.worker().handle(world.event(Widgets, await world.read(Widgets, other), { cause: 'requested' }));
    expect(readConditions((await world.read(Widgets, other)).status)).toEqual([]);
  });
});
