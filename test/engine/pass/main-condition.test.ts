import { describe, expect, it } from 'vitest';
import { type Condition, type ConditionStatus, mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { retry, settled, terminal } from '../../../lib/core/outcome.ts';
import { Events, Namespaces } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
const FOREIGN = 'example.com/other';

type Conditions = Readonly<Record<string, readonly [ConditionStatus, string]>>;

function statusWith(widget: KubeObject, conditions: Conditions, nowMs: number, more: JsonObject = {}): JsonObject {
  const inputs = Object.entries(conditions).map(([type, [status, reason]]) => ({
    type,
    status,
    reason,
    message: 'm',
  }));
  const generation = widget.metadata.generation ?? 0;
  const merged = mergeConditions(readConditions(widget.status), inputs, generation, nowMs);
  return { ...more, observedGeneration: generation, conditions: merged };
}

/** A world whose controller does what the test defines. */
async function worldOf(parts: Partial<Controller> = {}) {
  let reconcile: Controller['reconcile'] = async () => ({ outcome: settled() });
  const world = new World({
    controllers: [widgetController({ reconcile: (widget, context) => reconcile(widget, context), ...parts })],
  });
  await world.install([WIDGET_DEFINITION]);
  const pass = async (widget: KubeObject) =>
    await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget), { cause: 'requested' }));
  return {
    world,
    pass,
    does: (next: Controller['reconcile']) => {
      reconcile = next;
    },
    publishes: (conditions: Conditions, more: JsonObject = {}, outcome: ReconcileResult['outcome'] = settled()) => {
      reconcile = async (widget, { nowMs }) => ({ outcome, status: statusWith(widget, conditions, nowMs, more) });
    },
    throws: (error: unknown) => {
      reconcile = async () => {
        throw error;
      };
    },
    conditions: async (widget: KubeObject): Promise<Record<string, string>> => {
      const found = readConditions((await world.read(Widgets, widget)).status);
      return Object.fromEntries(
        found.map((each) => [each.type, `${each.status} ${each.reason} ${each.observedGeneration}`]),
      );
    },
    events: async () => (await world.user.list(Events)).items.length,
  };
}

const gone = () => new TerminalError('NoText', 'spec.text is empty');

describe('a terminal error', () => {
  const ways: readonly [string, Controller['reconcile']][] = [
    [
      'thrown',
      async () => {
        throw gone();
      },
    ],
    ['returned without a status', async () => ({ outcome: terminal('NoText', 'spec.text is empty') })],
    [
      'returned with Ready True',
      async (widget, { nowMs }) => ({
        outcome: terminal('NoText', 'spec.text is empty'),
        status: statusWith(widget, { Ready: ['True', 'Fine'] }, nowMs),
      }),
    ],
    [
      'returned with Ready Unknown',
      async (widget, { nowMs }) => ({
        outcome: terminal('NoText', 'spec.text is empty'),
        status: statusWith(widget, { Ready: ['Unknown', 'NotEvaluated'] }, nowMs),
      }),
    ],
  ];

  it.each(ways)(
    'R-1.30 a terminal error sets Ready False with reason, message, generation and an Event at the first pass when it is %s',
    async (_, reconcile) => {
      const { world, pass, does, events } = await worldOf();
      does(reconcile);
      const widget = await createWidget(world);
      expect(await pass(widget)).toMatchObject({
        outcome: 'terminal',
        reason: 'NoText',
        condition: 'Ready False NoText',
      });
      const { status } = await world.read(Widgets, widget);
      expect(status).toMatchObject({ observedGeneration: 1 });
      expect(readConditions(status)).toMatchObject([
        { type: 'Ready', status: 'False', reason: 'NoText', message: 'spec.text is empty', observedGeneration: 1 },
      ]);
      expect(await events()).toBe(1);
      expect((await pass(widget)).writes).toBe(0);
    },
  );

  it.each(ways)(
    'R-1.30 a terminal error turns Ready from True, keeps other conditions, and sends an Event when it is %s',
    async (how, reconcile) => {
      const { world, pass, does, publishes, conditions, events } = await worldOf();
      const widget = await createWidget(world);
      publishes({ Source: ['True', 'Found'], Ready: ['True', 'Fine'] });
      await pass(widget);
      await world.clock.advance(5_000);
      await world.edit(Widgets, widget, { spec: { size: 2 } });
      does(reconcile);
      await pass(widget);
      const shown = await conditions(widget);
      expect(shown.Ready).toBe('False NoText 2');
      // A controller that returns a status lists with it all conditions that exist.
      expect(shown.Source).toBe(how.startsWith('returned with') && !how.includes('out') ? undefined : 'True Found 1');
      expect(await events()).toBe(1);
      expect((await pass(widget)).writes).toBe(0);
    },
  );

  it('R-1.30 a terminal error sends an Event when Ready was False for another reason', async () => {
    const { world, pass, publishes, throws, events, conditions } = await worldOf();
    const widget = await createWidget(world);
    publishes({ Ready: ['False', 'Pending'] });
    await pass(widget);
    throws(gone());
    await pass(widget);
    expect(await conditions(widget)).toEqual({ Ready: 'False NoText 1' });
    expect(await events()).toBe(1);
  });

  it('R-1.30 a terminal error keeps the Ready False of the controller itself', async () => {
    const { world, pass, publishes, conditions } = await worldOf();
    publishes({ Ready: ['False', 'Precise'] }, {}, terminal('Coarse', 'x'));
    const widget = await createWidget(world);
    await pass(widget);
    expect(await conditions(widget)).toEqual({ Ready: 'False Precise 1' });
  });

  it.each([
    ['declares Available', { conditions: ['Available', 'Other'] }],
    ['declares Ready and Available', { conditions: ['Available', 'Ready'] }],
  ] as const)('R-1.30 a terminal error uses the condition that the controller %s', async (_, declared) => {
    const { world, pass, throws, conditions } = await worldOf(declared);
    throws(gone());
    const widget = await createWidget(world);
    await pass(widget);
    const main = (declared.conditions as readonly string[]).includes('Ready') ? 'Ready' : 'Available';
    expect(await conditions(widget)).toEqual({ [main]: 'False NoText 1' });
  });

  it('R-1.30 a terminal error uses Available when the object has that instead of Ready', async () => {
    const { world, pass, publishes, throws, conditions } = await worldOf();
    const widget = await createWidget(world);
    publishes({ Available: ['True', 'Up'] });
    await pass(widget);
    throws(gone());
    await pass(widget);
    expect(await conditions(widget)).toEqual({ Available: 'False NoText 1' });
  });

  it('R-1.30 a terminal error gets a valid reason when its own is not valid for a condition', async () => {
    const { world, pass, throws, conditions } = await worldOf();
    throws(new TerminalError('not a reason!', 'x'));
    const widget = await createWidget(world);
    expect(await pass(widget)).toMatchObject({ outcome: 'terminal', reason: 'not a reason!' });
    expect(await conditions(widget)).toEqual({ Ready: 'False Terminal 1' });
  });

  it.each([
    ['declares that it has none', { conditions: [] }, undefined],
    ['has a status without conditions', {}, { seen: 1 }],
  ] as const)('R-1.30 a terminal error writes nothing to a kind that %s', async (_, declared, status) => {
    const { world, pass, throws, does } = await worldOf(declared);
    const widget = await createWidget(world);
    if (status !== undefined) does(async () => ({ outcome: settled(), status: { ...status } }));
    await pass(widget);
    throws(gone());
    expect(await pass(widget)).toMatchObject({ outcome: 'terminal', writes: 0 });
    expect((await world.read(Widgets, widget)).status).toEqual(status);
  });

  it('R-1.30 a pass ends as terminal when the kind accepts no status', async () => {
    const [version] = WIDGET_DEFINITION.spec.versions;
    const { subresources: _, ...bare } = version as NonNullable<typeof version>;
    const world = new World({
      controllers: [
        widgetController({
          reconcile: async () => {
            throw gone();
          },
        }),
      ],
    });
    await world.install([{ ...WIDGET_DEFINITION, spec: { ...WIDGET_DEFINITION.spec, versions: [bare] } }]);
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      end: 'committed',
      outcome: 'terminal',
    });
    expect(await world.read(Widgets, widget)).not.toHaveProperty('status');
  });

  it.each([
    [
      'publishes another status',
      (widget: KubeObject, nowMs: number) => statusWith(widget, { Ready: ['True', 'Fine'] }, nowMs),
      'True Fine 1',
    ],
    ['publishes a status without conditions', () => ({ seen: 1 }), undefined],
    ['publishes none', () => undefined, undefined],
  ] as const)('R-1.30 a terminal error does not stay when the next pass %s', async (_, status, ready) => {
    const { world, pass, throws, does, conditions } = await worldOf();
    throws(gone());
    const widget = await createWidget(world);
    await pass(widget);
    does(async (object, { nowMs }) => {
      const next = status(object, nowMs);
      return { outcome: settled(), ...(next !== undefined && { status: next }) };
    });
    await pass(widget);
    expect((await conditions(widget)).Ready).toBe(ready);
    expect((await pass(widget)).writes).toBe(0);
  });

  it('R-1.30 a terminal error is retried when the API server does not accept the status at the moment', async () => {
    const { world, pass, throws, conditions } = await worldOf();
    throws(gone());
    const widget = await createWidget(world);
    world.server.inject({
      match: ({ verb, subresource }) => verb === 'patch' && subresource === 'status',
      fault: { status: 503, reason: 'ServiceUnavailable' },
      times: 1,
    });
    expect(await pass(widget)).toMatchObject({ outcome: 'retry' });
    await world.run(10_000);
    expect(await conditions(widget)).toEqual({ Ready: 'False NoText 1' });
  });
});

describe('an object that is being deleted', () => {
  const held = (world: World, finalizers: string[]) =>
    world.create(Widgets, { metadata: { namespace: 'default', name: 'one', finalizers }, spec: {} });

  async function deletingWorld(parts: Partial<Controller>, finalizers = [FOREIGN]) {
    const control = await worldOf(parts);
    const widget = await held(control.world, finalizers);
    control.publishes({ Source: ['True', 'Found'], Ready: ['True', 'Fine'] }, { child: 'copy', phase: 'Up' });
    await control.pass(widget);
    await control.world.remove(Widgets, widget);
    return { ...control, widget };
  }

  it.each([
    ['without a finalizer', {}],
    ['with a finalizer that is done', { finalizer: FINALIZER, finalize: async () => ({ done: true }) }],
  ] as readonly [string, Partial<Controller>][])(
    'R-1.30 a deleting object that others hold shows Ready False Terminating and what it waits for, of a controller %s',
    async (_, parts) => {
      const { world, widget, pass, conditions } = await deletingWorld(parts);
      const generation = (await world.read(Widgets, widget)).metadata.generation;
      expect(await pass(widget)).toMatchObject({
        outcome: 'deleting',
        reason: 'Terminating',
        message: expect.stringContaining(FOREIGN),
      });
      expect(await conditions(widget)).toEqual({
        Source: `Unknown NotEvaluated ${generation}`,
        Ready: `False Terminating ${generation}`,
      });
      const { status, metadata } = await world.read(Widgets, widget);
      expect(metadata.finalizers).toEqual([FOREIGN]);
      expect(status).toMatchObject({ observedGeneration: generation });
      expect(readConditions(status).find(({ type }) => type === 'Ready')?.message).toContain(FOREIGN);
      expect((await pass(widget)).writes).toBe(0);
    },
  );

  it('R-1.30 a deleting object shows what is left when a finalizer of others is removed', async () => {
    const { world, widget, pass } = await deletingWorld({}, [FOREIGN, 'example.com/third']);
    await pass(widget);
    await world.edit(Widgets, widget, { metadata: { finalizers: ['example.com/third'] } });
    await pass(widget);
    const ready = readConditions((await world.read(Widgets, widget)).status).find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('example.com/third');
    expect(ready?.message).not.toContain(FOREIGN);
  });

  it('R-1.30 a deleting object drops the names of removed objects as its controller says', async () => {
    const released = ({ status }: KubeObject) => {
      const { child: _, ...rest } = status as JsonObject;
      return { ...rest, phase: 'Terminating' };
    };
    const { world, widget, pass } = await deletingWorld({ released });
    await pass(widget);
    const { status } = await world.read(Widgets, widget);
    expect(status).toMatchObject({ phase: 'Terminating' });
    expect(status).not.toHaveProperty('child');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('hunter2');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a promise', async () => ({})],
  ] as readonly [string, () => unknown][])(
    'R-1.27 a deleting object shows this also when the function for it %s',
    async (_, released) => {
      const { world, widget, pass, conditions } = await deletingWorld({
        released: released as NonNullable<Controller['released']>,
      });
      expect(await pass(widget)).toMatchObject({ end: 'committed', outcome: 'deleting' });
      expect((await conditions(widget)).Ready).toMatch(/^False Terminating/);
      expect(world.metrics.total('UnhandledError')).toBe(1);
    },
  );

  const unfinished: readonly [string, Controller['finalize'], RegExp][] = [
    ['waits and gives no status', async () => ({ done: false, outcome: settled() }), /^False Terminating/],
    [
      'retries and gives no status',
      async () => ({ done: false, outcome: retry(new Error('x')) }),
      /^False Terminating/,
    ],
    [
      'throws',
      async () => {
        throw new Error('x');
      },
      /^False Terminating/,
    ],
    [
      'throws a terminal error',
      async () => {
        throw gone();
      },
      /^False NoText/,
    ],
    ['is terminal', async () => ({ done: false, outcome: terminal('NoText', 'x') }), /^False NoText/],
    [
      'gives Ready True',
      async (widget, { nowMs }) => ({
        done: false,
        outcome: settled(),
        status: statusWith(widget, { Ready: ['True', 'Fine'] }, nowMs),
      }),
      /^False Terminating/,
    ],
    [
      'says what it waits for',
      async (widget, { nowMs }) => ({
        done: false,
        outcome: settled(),
        status: statusWith(widget, { Ready: ['False', 'SessionsRemain'] }, nowMs),
      }),
      /^False SessionsRemain/,
    ],
  ];

  it.each(unfinished)(
    'R-1.30 a deleting object shows Ready False at the current generation while its cleanup %s',
    async (_, finalize, ready) => {
      const { world, widget, pass, conditions } = await deletingWorld({
        finalizer: FINALIZER,
        ...(finalize && { finalize }),
      });
      await pass(widget);
      const generation = (await world.read(Widgets, widget)).metadata.generation;
      const shown = await conditions(widget);
      expect(shown.Ready).toMatch(ready);
      expect(shown.Ready).toMatch(new RegExp(`${generation}$`));
      expect(Object.values(shown).some((text) => text.startsWith('True'))).toBe(false);
      expect((await pass(widget)).writes).toBe(0);
    },
  );

  it('R-1.30 a deleting object gets no status when nobody else holds it', async () => {
    const parts = { finalizer: FINALIZER, finalize: async () => ({ done: true }) as const };
    const { world, widget, pass } = await deletingWorld(parts, [FINALIZER]);
    expect(await pass(widget)).toMatchObject({ writes: 1 });
    await expect(world.read(Widgets, widget)).rejects.toThrow(/not found|absent|NotFound/i);
  });

  it('R-1.30 a deleting object is not written when its kind is built into Kubernetes', async () => {
    const world = new World({ controllers: [widgetController({ type: Namespaces, owns: [], reads: [] })] });
    const metadata = { name: 'held', finalizers: [FOREIGN] };
    const namespace = await world.create(Namespaces, { metadata });
    await world.remove(Namespaces, namespace);
    const report = await world.worker().handle(world.event(Namespaces, await world.read(Namespaces, namespace)));
    expect(report).toMatchObject({ writes: 0, outcome: 'deleting' });
  });
});

describe('a condition of a type that the controller does not own', () => {
  const foreign = (type: string): Condition => ({
    type,
    status: 'True',
    observedGeneration: 1,
    reason: 'Theirs',
    message: 'not ours',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });

  async function add(world: World, widget: KubeObject, entries: unknown[], where: 'before' | 'after' = 'after') {
    const { status } = await world.read(Widgets, widget);
    const own = (status as { conditions?: unknown[] } | undefined)?.conditions ?? [];
    const conditions = where === 'after' ? [...own, ...entries] : [...entries, ...own];
    await world.edit(Widgets, widget, { status: { conditions } }, 'status');
  }

  it.each([
    ['one, behind ours', [foreign('Backup')], 'after'],
    ['two, before ours', [foreign('Backup'), foreign('example.com/Audited')], 'before'],
    ['one without a reason or a time', [{ type: 'Odd', status: 'Maybe' }], 'before'],
  ] as const)(
    'R-1.31 a foreign condition stays as it is through status writes and a terminal error: %s',
    async (_, entries, where) => {
      const { world, pass, publishes, throws } = await worldOf();
      const widget = await createWidget(world);
      publishes({ Ready: ['False', 'Pending'] });
      await pass(widget);
      await add(world, widget, [...entries], where);
      expect((await pass(widget)).writes).toBe(0);
      publishes({ Source: ['True', 'Found'], Ready: ['True', 'Fine'] }, { more: 1 });
      const kept = async () => {
        const { status } = await world.read(Widgets, widget);
        return (status as { conditions: { type: string }[] }).conditions.filter(({ type }) =>
          entries.some((each) => each.type === type),
        );
      };
      await pass(widget);
      expect(await kept()).toEqual(entries);
      expect((await pass(widget)).writes).toBe(0);
      throws(gone());
      await pass(widget);
      expect(await kept()).toEqual(entries);
      publishes({ Ready: ['True', 'Fine'] });
      await pass(widget);
      expect(await kept()).toEqual(entries);
      expect((await pass(widget)).writes).toBe(0);
    },
  );

  it('R-1.31 a foreign condition stays when it existed before the first pass, and when the controller publishes no conditions', async () => {
    const { world, pass, does } = await worldOf();
    const widget = await createWidget(world);
    await add(world, widget, [foreign('Backup')]);
    does(async () => ({ outcome: settled(), status: { seen: 1 } }));
    await pass(widget);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1, conditions: [foreign('Backup')] });
    expect((await pass(widget)).writes).toBe(0);
  });

  it('R-1.31 a foreign condition stays when a status is published in the middle of a pass', async () => {
    const { world, pass, does } = await worldOf();
    const widget = await createWidget(world);
    await add(world, widget, [foreign('Backup')]);
    does(async (object, context) => {
      await context.publishStatus({ step: 1, conditions: (object.status as JsonObject).conditions ?? [] });
      return { outcome: settled(), status: { step: 2 } };
    });
    await pass(widget);
    expect((await world.read(Widgets, widget)).status).toEqual({ step: 2, conditions: [foreign('Backup')] });
  });

  it.each([
    ['declared', { conditions: ['Synced', 'Ready'] }],
    ['recorded', {}],
  ] as const)('R-1.31 only a condition that the controller drops is removed: %s', async (_, declared) => {
    const { world, pass, publishes, conditions } = await worldOf(declared);
    const widget = await createWidget(world);
    publishes({ Synced: ['True', 'Done'], Ready: ['True', 'Fine'] });
    await pass(widget);
    await add(world, widget, [foreign('Backup')]);
    publishes({ Ready: ['True', 'Fine'] });
    await pass(widget);
    expect(Object.keys(await conditions(widget))).toEqual(['Ready', 'Backup']);
    expect((await pass(widget)).writes).toBe(0);
  });

  it('R-1.31 a dropped condition is removed after a pass that failed in between', async () => {
    const { world, pass, publishes, throws, conditions } = await worldOf();
    const widget = await createWidget(world);
    publishes({ Synced: ['True', 'Done'], Ready: ['True', 'Fine'] });
    await pass(widget);
    throws(new Error('x'));
    await pass(widget);
    publishes({ Ready: ['True', 'Fine'] });
    await pass(widget);
    expect(Object.keys(await conditions(widget))).toEqual(['Ready']);
  });

  it('R-1.31 a condition that an item of an earlier release does not know is kept, and a declared one that is not wanted is removed', async () => {
    const { world, pass, publishes, conditions } = await worldOf({ conditions: ['Synced', 'Ready'] });
    const widget = await createWidget(world);
    await add(world, widget, [foreign('Synced'), foreign('Backup')]);
    publishes({ Ready: ['True', 'Fine'] });
    await pass(widget);
    expect(Object.keys(await conditions(widget)).sort()).toEqual(['Backup', 'Ready']);
  });
});
