import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { printExplanation, watchExplanation } from '../../../cli/explain.ts';
import { printList, watchList } from '../../../cli/list.ts';
import { StreamTerminal } from '../../../lib/deployment/terminal/terminal.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { Widgets } from '../../support/widget.ts';
import { type ConsoleWorld, consoleWorld } from '../console/console-world.ts';

async function someWidgets(options: Parameters<typeof consoleWorld>[0] = {}): Promise<ConsoleWorld> {
  const made = await consoleWorld(options);
  await made.reconcile('ready', {});
  await made.reconcile('lacking', { secret: 'absent' });
  await made.world.clock.advance(1_000);
  await made.reconcile('failing', { ends: 'retry' });
  return made;
}

async function namesOf({ source }: ConsoleWorld, options: Record<string, string | true>): Promise<string[]> {
  const terminal = new RecordedTerminal();
  const given = new Map<string, string | true>(Object.entries({ output: 'json', ...options }));
  await printList(source.inspection, new Invocation([], given), terminal);
  const { items } = JSON.parse(terminal.outLines.join('\n')) as { items: { name: string }[] };
  return items.map(({ name }) => name);
}

describe('the options of evenkeel list', () => {
  it.each([
    [{ 'not-ready': true }, ['failing', 'lacking']],
    [{ failing: true }, ['failing']],
    [{ namespace: 'default' }, ['failing', 'lacking', 'ready']],
    [{ namespace: 'other' }, []],
    [{ sort: 'failures' }, ['failing', 'lacking', 'ready']],
    [{ sort: 'last-pass' }, ['failing', 'lacking', 'ready']],
    [{ sort: 'next' }, ['failing', 'lacking', 'ready']],
  ] as [Record<string, string | true>, string[]][])(
    'R-6.10 list shows the right objects when it is called with %j',
    async (options, names) => {
      expect(await namesOf(await someWidgets(), options)).toEqual(names);
    },
  );

  it('R-6.10 list shows the main condition with its reason when an object is not ready', async () => {
    const { source } = await someWidgets();
    const terminal = new RecordedTerminal();
    await printList(source.inspection, new Invocation([], new Map()), terminal);
    const [header = '', ...lines] = terminal.outLines;
    const column = header.indexOf('READY');
    const shown = lines.map((line) => line.slice(column, header.indexOf('OUTCOME')).trim());
    expect(shown).toEqual(['-', 'Ready False SecretNotFound', 'Ready True AllSatisfied']);
  });

  it('R-6.10 explain shows the main condition with its reason when an object is not ready', async () => {
    const { source } = await someWidgets();
    const terminal = new RecordedTerminal();
    await printExplanation(source.inspection, new Invocation(['widget/default/lacking'], new Map()), terminal);
    expect(terminal.outLines).toContain('  condition  Ready False SecretNotFound');
  });

  it('R-6.10 list asks the cluster which objects have the labels of --selector', async () => {
    const made = await someWidgets();
    const ready = await made.world.user.get(Widgets, { namespace: 'default', name: 'ready' });
    await made.world.edit(Widgets, ready, { metadata: { labels: { team: 'shop' } } });
    expect(await namesOf(made, { selector: 'team=shop' })).toEqual(['ready']);
    expect(await namesOf(made, { selector: 'team=other' })).toEqual([]);
  });

  it('R-6.4 list says what to do when --selector has no cluster to ask', async () => {
    const made = await someWidgets({ api: false });
    await expect(namesOf(made, { selector: 'team=shop' })).rejects.toThrow(/--selector needs the cluster/);
  });

  it('R-6.10 list prints a failing object in red when colours are shown, and without a colour otherwise', async () => {
    const { source } = await someWidgets();
    const print = async (colour: boolean) => {
      let text = '';
      const stream = {
        write: (part: string) => {
          text += part;
        },
      };
      const terminal = new StreamTerminal(stream, { write: () => true }, new ManualClock(), colour);
      await printList(source.inspection, new Invocation([], new Map()), terminal);
      return text.split('\n').filter((line) => line.includes('\u001b['));
    };
    expect(await print(true)).toEqual([expect.stringContaining('failing')]);
    expect(await print(false)).toEqual([]);
  });

  it('R-6.10 list --watch prints again when an object changed, and not when time went by', async () => {
    const made = await someWidgets();
    const { clock } = made.world;
    const terminal = new RecordedTerminal();
    const stop = new AbortController();
    const watching = watchList(made.source.inspection, new Invocation([], new Map()), terminal, stop.signal);
    const headers = () => terminal.outLines.filter((line) => line.startsWith('KIND')).length;
    await clock.advance(10_000);
    expect(headers()).toBe(1);
    await made.reconcile('later', {});
    await clock.advance(2_000);
    expect(headers()).toBe(2);
    stop.abort();
    await clock.advance(2_000);
    expect(await watching).toBe(0);
  });
});

describe('evenkeel explain --watch', () => {
  async function watch(made: ConsoleWorld, name: string) {
    const terminal = new RecordedTerminal();
    const stop = new AbortController();
    const invocation = new Invocation([`widget/default/${name}`], new Map());
    const code = watchExplanation(made.source.inspection, invocation, terminal, stop.signal);
    return { code, terminal, stop };
  }

  it('R-6.10 it ends with 0 when the object becomes Ready', async () => {
    const made = await consoleWorld();
    const widget = await made.reconcile('web', { secret: 'absent' });
    const { code, terminal } = await watch(made, 'web');
    await made.world.clock.advance(3_000);
    expect(terminal.outLines.filter((line) => line.startsWith('Widget'))).toHaveLength(1);
    const edited = await made.world.edit(Widgets, widget, { spec: { secret: null } });
    await made.pass(edited);
    await made.world.clock.advance(2_000);
    expect(await code).toBe(0);
    expect(terminal.outLines.filter((line) => line.startsWith('Widget'))).toHaveLength(2);
  });

  it('R-6.10 it continues when the object is Ready for an older generation', async () => {
    const made = await consoleWorld();
    const widget = await made.reconcile('web', {});
    await made.world.edit(Widgets, widget, { spec: { message: 'newer' } });
    const { code, stop } = await watch(made, 'web');
    await made.world.clock.advance(5_000);
    stop.abort();
    await made.world.clock.advance(1_000);
    expect(await code).toBe(130);
  });

  it('R-6.10 it ends with 1 when nothing but an edit can help', async () => {
    const made = await consoleWorld();
    await made.reconcile('web', { ends: 'terminal' });
    const { code } = await watch(made, 'web');
    expect(await code).toBe(1);
  });

  it('R-6.10 explain --watch ends with 1 when the object is Stalled', async () => {
    const made = await consoleWorld();
    const widget = await made.reconcile('web', { secret: 'absent' });
    const { code } = await watch(made, 'web');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const stalled = { type: 'Stalled', status: 'True', reason: 'SecretNotFound', message: '', lastTransitionTime };
    await made.world.edit(Widgets, widget, { status: { conditions: [stalled] } }, 'status');
    await made.world.clock.advance(3_000);
    expect(await code).toBe(1);
  });
});
