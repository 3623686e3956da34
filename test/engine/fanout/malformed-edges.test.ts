import { describe, expect, it } from 'vitest';
import { readersOf } from '../../../lib/engine/fanout/readers.ts';
import type { Edge, EdgeStore, Page } from '../../../lib/ports/state-store.ts';
import { CLUSTER } from '../relay/relay-fixture.ts';
import { FanoutFixture, SECRET_EDGE, seen } from './fanout-fixture.ts';

const KIND = 'widgets.test.evenkeel.dev';

/** The readers with these UIDs are edges that name nobody: a page has its place, and leaves them out. */
function withMalformed(fixture: FanoutFixture, isMalformed: (uid: string) => boolean): EdgeStore['readers'] {
  const readers = fixture.memory.readers.bind(fixture.memory);
  fixture.memory.readers = async (...args): Promise<Page<Edge>> => {
    const page = await readers(...args);
    return { ...page, items: page.items.filter(({ reader }) => !isMalformed(reader.uid)) };
  };
  return fixture.memory.readers;
}

describe('edges that name no reader', () => {
  it.each([
    ['the first page', (index: number) => index < 10],
    ['a page in the middle', (index: number) => index >= 10 && index < 20],
    ['every other page, and the end of each', (index: number) => index % 20 >= 5],
  ])(
    'R-5.17 R-5.19 edges without a reader keep no event from the readers behind them when they fill %s',
    async (_, isMalformed) => {
      const fixture = new FanoutFixture({ pageSize: 10 });
      const readers = await fixture.readers(45);
      const isOut = (uid: string) => isMalformed(Number(uid.slice(1)));
      withMalformed(fixture, isOut);
      await fixture.change(seen(7));
      expect(await fixture.handleRounds()).toEqual(['told']);
      await fixture.read();
      expect([...fixture.told.keys()]).toEqual(readers.map(({ uid }) => uid).filter((uid) => !isOut(uid)));
    },
  );

  it.each([3, 4, 9])(
    'R-5.17 R-5.19 readers after edges without a reader are found when %i such edges fill pages',
    async (malformed) => {
      const fixture = new FanoutFixture();
      await fixture.readers(malformed + 2);
      withMalformed(fixture, (uid) => Number(uid.slice(1)) < malformed);
      const { memory: store, registry } = fixture;
      for (const groups of [undefined, ['widgets']]) {
        const found = (await readersOf({ store, registry, directReaders: 2 }, CLUSTER, SECRET_EDGE, groups)).get(
          'widgets',
        );
        expect(found).toMatchObject([{ reader: { kind: KIND } }, { reader: { kind: KIND } }]);
      }
    },
  );
});
