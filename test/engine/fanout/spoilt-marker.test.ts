import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { ItemError } from '../../../lib/core/errors.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { recordWideChanges } from '../../../lib/engine/fanout/wide-change.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { Widgets } from '../relay/relay-fixture.ts';
import { ResyncFixture } from '../resync/resync-fixture.ts';
import { SECRET, seen } from './fanout-fixture.ts';

describe('a marker that cannot be read', () => {
  it('R-5.19 R-5.17 a marker is named once when a change writes it again, and its round is requested', async () => {
    const store = new MemoryStateStore({ clock: new ManualClock() });
    const unreadable = 'its roundAt is not what is written there';
    let spoilt = true;
    const recordChange: typeof store.recordChange = async (...args) => {
      const marker = await store.recordChange(...args);
      return marker !== undefined && spoilt ? { ...marker, unreadable } : marker;
    };
    const deps = { store: { recordChange }, logger: new SilentLogger(), metrics: new RecordedMetrics() };
    for (const version of [7, 8]) {
      const events = await recordWideChanges(deps, [{ key: SECRET, observation: seen(version) }], 5, false);
      expect(events).toMatchObject([{ cause: 'fanout', name: 's' }]);
      spoilt = false;
    }
    expect(deps.metrics.total('Unreadable', { Kind: SECRET.kind })).toBe(1);
    expect(deps.logger.lines).toMatchObject([{ level: 'warn', fields: { namespace: 'ns', name: 's' } }]);
    expect(deps.logger.lines[0]?.message).toContain('roundAt');
  });

  it('R-5.19 R-5.17 a marker stops no event that resync found', async () => {
    const fixture = new ResyncFixture();
    const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    for (let index = 0; index < 5; index += 1) {
      const widget = fixture.cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
      await fixture.settle(widget, { [`${SECRET.kind}/ns/s`]: Number(metadata.resourceVersion) - 1 });
    }
    fixture.store.recordChange = async () => {
      throw new ItemError('the table refuses the marker');
    };
    await expect(fixture.resync({ directReaders: 2 })).rejects.toThrow('refuses the marker');
    expect(fixture.sent('resync').map(({ cause }) => cause)).toEqual(['resync', 'resync']);
  });
});
