import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { sendRequeue } from '../../../cli/requeue.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { type InspectedWorld, inspectedWorld } from './inspected-world.ts';

async function requeue(
  inspected: InspectedWorld,
  operand: string,
  terminal = new RecordedTerminal(),
): Promise<string[]> {
  await sendRequeue(inspected.inspection, new Invocation([operand], new Map()), terminal);
  return terminal.outLines;
}

describe('evenkeel requeue', () => {
  it('asks for a pass, each time anew, and the pass runs although nothing changed', async () => {
    const inspected = inspectedWorld();
    const { world } = inspected;
    const uid = await inspected.reconcile('web');
    for (let round = 0; round < 3; round++) {
      expect(await requeue(inspected, 'cm/default/web')).toEqual([`requested a pass of cm/default/web (uid ${uid})`]);
      await world.drain();
    }
    const ends = world.reports.map(({ cause, end }) => [cause, end]);
    expect(ends).toEqual([['created', 'committed'], ...Array(3).fill(['requested', 'committed'])]);
  });

  it('an object that no event has told of is found in the cluster', async () => {
    const inspected = inspectedWorld();
    const object = await inspected.world.create(ConfigMaps, { metadata: { name: 'new', namespace: 'default' } });
    await requeue(inspected, 'cm/default/new');
    await inspected.world.drain();
    expect(inspected.world.reports).toMatchObject([{ target: { uid: object.metadata.uid }, end: 'committed' }]);
  });

  it.each([
    ['resume', false, 'cluster test is paused: no pass begins there until evenkeel resume'],
    ['the settings', true, 'the settings pause the whole deployment: no pass begins until paused is false'],
  ])('R-6.7 says that the pass waits for %s where the cluster is paused', async (_title, paused, note) => {
    const inspected = inspectedWorld({ paused });
    await inspected.reconcile('web');
    const terminal = new RecordedTerminal();
    await requeue(inspected, 'cm/default/web', terminal);
    expect(terminal.errLines).toEqual(paused ? [note] : []);
    await inspected.world.store.setPaused('test', true);
    await requeue(inspected, 'cm/default/web', terminal);
    expect(terminal.errLines.at(-1)).toBe(note);
  });

  it('R-6.4 an object that nobody knows is named', async () => {
    await expect(requeue(inspectedWorld(), 'cm/default/none')).rejects.toThrow(
      'there is no ConfigMap default/none in the table and the cluster of test. evenkeel list shows',
    );
    await expect(requeue(inspectedWorld({ api: false }), 'cm/default/none')).rejects.toThrow(
      'there is no ConfigMap default/none in the table of test',
    );
  });
});
