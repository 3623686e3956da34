import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { CLUSTER, CONFIG_MAPS, SECRETS, Widgets } from '../relay/relay-fixture.ts';
import { ResyncFixture } from './resync-fixture.ts';

const DIRECT = { directReaders: 2 };

let fixture: ResyncFixture;

beforeEach(() => {
  fixture = new ResyncFixture();
});

/** Widgets whose last pass saw the object at this version. */
async function widgetsThatSaw(count: number, key: string, version: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const widget = fixture.cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await fixture.settle(widget, { [key]: version });
  }
}

const causes = () => {
  const found = fixture.sent('resync').map(({ cause }) => cause);
  return {
    resync: found.filter((cause) => cause === 'resync').length,
    fanout: found.filter((cause) => cause === 'fanout').length,
  };
};
const marker = (kind: string, name: string) =>
  fixture.memory.readMarker({ cluster: CLUSTER, group: 'widgets', kind, namespace: 'ns', name });

describe('resync of a change with many readers', () => {
  it('R-5.17 resync sends some events one by one and one message for all others', async () => {
    const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await widgetsThatSaw(50, `${SECRETS}/ns/s`, Number(metadata.resourceVersion) - 1);
    await fixture.resync(DIRECT);
    expect(causes()).toEqual({ resync: 2, fanout: 1 });
    expect(await marker(SECRETS, 's')).toMatchObject({ version: Number(metadata.resourceVersion), incarnation: 1 });
  });

  it('R-5.17 resync counts all readers as found, and as drift when the next tick finds them again', async () => {
    const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await widgetsThatSaw(10, `${SECRETS}/ns/s`, Number(metadata.resourceVersion) - 1);
    expect(await fixture.resync(DIRECT)).toMatchObject({ found: 10, drift: 0 });
    expect(await fixture.resync(DIRECT)).toMatchObject({ found: 10, drift: 10 });
  });

  it('R-5.17 resync sends the absence of an object that is gone, at the version of the list', async () => {
    await widgetsThatSaw(10, `${CONFIG_MAPS}/ns/c`, 1);
    fixture.cluster.put(ConfigMaps, { namespace: 'ns', name: 'other' });
    await fixture.resync(DIRECT);
    expect(causes()).toEqual({ resync: 2, fanout: 1 });
    expect((await marker(CONFIG_MAPS, 'c'))?.seen).toEqual({ absentAt: expect.stringMatching(/^\d+$/) });
  });

  it('R-5.17 R-5.8 resync sends each reader its own event when versions are lower, because an event of the lower version would count as seen', async () => {
    const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await widgetsThatSaw(10, `${SECRETS}/ns/s`, Number(metadata.resourceVersion) + 1);
    await fixture.resync(DIRECT);
    expect(causes()).toEqual({ resync: 10, fanout: 0 });
  });

  it('R-5.17 resync sends one message for each of several objects', async () => {
    for (const name of ['s', 't']) {
      const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name });
      for (let index = 0; index < 5; index += 1) {
        const widget = fixture.cluster.put(Widgets, { namespace: 'ns', name: `${name}-${index}` });
        await fixture.settle(widget, { [`${SECRETS}/ns/${name}`]: Number(metadata.resourceVersion) - 1 });
      }
    }
    await fixture.resync(DIRECT);
    expect(causes()).toEqual({ resync: 4, fanout: 2 });
  });
});

describe('resync while the lane is full', () => {
  const FULL = { laneDepth: 2 };

  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) fixture.cluster.put(Widgets, { namespace: 'ns', name });
    await fixture.resync(FULL);
  });

  it('R-5.17 resync sends nothing when the events of the run before still wait', async () => {
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'd' });
    expect(await fixture.resync(FULL)).toMatchObject({ found: 4, left: 4 });
    expect(causes().resync).toBe(3);
  });

  it('R-5.17 R-1.2 resync sends what it left when the lane has room again', async () => {
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'd' });
    await fixture.resync(FULL);
    fixture.sent('resync');
    expect(await fixture.resync({ laneDepth: 3 })).toMatchObject({ found: 4, left: 0 });
    expect(
      fixture
        .sent('resync')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  it('R-5.17 a difference whose event may still wait in a full lane is no drift', async () => {
    expect(await fixture.resync(FULL)).toMatchObject({ found: 3, drift: 0 });
    expect(await fixture.resync({ laneDepth: 3 })).toMatchObject({ found: 3, drift: 0 });
    expect(await fixture.resync({ laneDepth: 6 })).toMatchObject({ found: 3, drift: 3 });
  });
});
