import { describe, expect, it } from 'vitest';
import type { UnreadableObject } from '../../../lib/ports/cluster-api.ts';
import type { TargetState } from '../../../lib/ports/state-store.ts';
import { Widgets } from '../relay/relay-fixture.ts';
import { ResyncFixture } from './resync-fixture.ts';

describe('resync and what cannot be read', () => {
  it('R-5.19 an item that cannot be read is neither unknown nor missing, and the others are compared', async () => {
    const fixture = new ResyncFixture();
    const [bad, changed, gone] = ['bad', 'changed', 'gone'].map((name) =>
      fixture.cluster.put(Widgets, { namespace: 'ns', name }),
    );
    if (bad === undefined || changed === undefined || gone === undefined) throw new Error('nothing was made');
    for (const object of [bad, changed, gone]) await fixture.settle(object);
    const { inventory } = fixture.memory;
    fixture.memory.inventory = async (...args) => {
      const page = await inventory.apply(fixture.memory, args);
      const spoil = (state: TargetState): TargetState =>
        state.target.name === 'bad' || state.target.name === 'gone' ? { ...state, unreadable: 'it is odd' } : state;
      return { ...page, items: page.items.map(spoil) };
    };
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'changed' });
    fixture.cluster.remove(Widgets, { namespace: 'ns', name: 'gone' });
    const report = await fixture.resync();
    expect(report).toMatchObject({ type: 'compared', found: 1 });
    expect((await fixture.resync()).type).toBe('compared');
    expect(fixture.metrics.total('Unreadable', {})).toBeGreaterThan(0);
  });

  it.each<[string, UnreadableObject, number]>([
    ['of its name', { namespace: 'ns', name: 'hidden', uid: '', why: 'odd' }, 0],
    ['without a name', { namespace: '', name: '', uid: '', why: 'odd' }, 0],
    ['of another name', { namespace: 'ns', name: 'other', uid: 'other', why: 'odd' }, 1],
  ])(
    'R-5.19 a target is missing from a list with an unreadable object %s only if it cannot be that object',
    async (_, unreadable, found) => {
      const fixture = new ResyncFixture();
      const hidden = fixture.cluster.put(Widgets, { namespace: 'ns', name: 'hidden' });
      await fixture.settle(hidden);
      fixture.cluster.remove(Widgets, { namespace: 'ns', name: 'hidden' });
      const list = fixture.cluster.list.bind(fixture.cluster);
      fixture.cluster.list = async (type, options) => {
        const page = await list(type, options);
        return type === Widgets ? { ...page, unreadable: [unreadable] } : page;
      };
      expect(await fixture.resync()).toMatchObject({ type: 'compared', found });
    },
  );
});
