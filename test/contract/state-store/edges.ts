import { describe, expect, it } from 'vitest';
import { shardOf } from '../../../lib/core/hash.ts';
import { listKey, objectKey } from '../../../lib/core/observation.ts';
import type { Edge } from '../../../lib/ports/state-store.ts';
import { allPages, freshCluster, freshTarget, type GetSubject, inParallel } from './subject.ts';

const NAMES = ['a', 'a-b', 'a.b', 'a0', 'ab', 'a-b.c', '0', 'z9'];

/** Who read or listed what. */
export function describeEdges(subject: GetSubject): void {
  function edge(cluster: string, key: string, overrides: Partial<Edge> = {}): Edge {
    return { cluster, key, reader: freshTarget({ cluster }), epoch: 100, ...overrides };
  }

  async function allEdges(cluster: string, kind: string, shard: number): Promise<Edge[]> {
    const edges: Edge[] = [];
    for await (const found of allPages((after) => subject().store.edges(cluster, kind, shard, after)))
      edges.push(found);
    return edges;
  }

  describe('edges', () => {
    it('R-1.8 an edge leads from an object to its readers, with everything that a message to them needs', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const put = [
        edge(cluster, 'secrets/default/a'),
        edge(cluster, 'secrets/default/a', { reader: freshTarget({ cluster, namespace: '', name: 'host.example' }) }),
      ];
      for (const one of put) expect(await store.putEdge(one)).toBe(true);
      expect(byReader((await store.readers(cluster, 'secrets/default/a')).items)).toEqual(byReader(put));
    });

    it('R-5.11 the readers of an object are its own, not those of others whose names begin with its name', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const keys = [...NAMES, '*'].map((name) => objectKey('secrets', { namespace: 'default', name }));
      const foreign = [
        edge(cluster, 'configmaps/default/a'),
        edge(cluster, 'secrets.other.dev/default/a'),
        edge(cluster, 'secrets/default-2/a'),
        edge(cluster, 'secrets/def/ault'),
        edge(cluster, 'secrets//a'),
        edge(cluster, 'secrets//*'),
        edge(`${cluster}0`, 'secrets/default/a'),
      ];
      const own = keys.map((key) => edge(cluster, key));
      await inParallel([...own, ...foreign], (one) => store.putEdge(one));
      for (const one of own) expect((await store.readers(cluster, one.key)).items).toEqual([one]);
      expect((await store.readers(cluster, 'secrets/default/a-')).items).toEqual([]);
      expect((await store.readers(cluster, 'secrets/nowhere/a')).items).toEqual([]);
    });

    it('R-5.17 readers come in pages, in order, by kind, and after a reader that may have left', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const key = 'secrets/default/a';
      const of = (kind: string) =>
        Array.from({ length: 12 }, (_, index) =>
          edge(cluster, key, { reader: freshTarget({ cluster, kind, uid: `u-${String(index).padStart(2, '0')}` }) }),
        );
      const [first, second] = [of('a.evenkeel.dev'), of('b.evenkeel.dev')];
      await inParallel([...first, ...second, edge(cluster, 'secrets/default/a0')], (one) => store.putEdge(one));
      const whole = await store.readers(cluster, key);
      expect(whole).toEqual({ items: [...first, ...second] });
      const page = await store.readers(cluster, key, { limit: 5 });
      expect(page.items).toEqual(first.slice(0, 5));
      expect(page.next).toBeDefined();
      const behind = await store.readers(cluster, key, {
        limit: 9,
        ...(page.next !== undefined && { next: page.next }),
      });
      expect(behind.items).toEqual([...first.slice(5), ...second.slice(0, 2)]);
      const middle = first[4] ?? expect.fail('there is no fifth');
      await store.deleteEdge(middle);
      expect((await store.readers(cluster, key, { limit: 9, after: middle.reader })).items).toEqual([
        ...first.slice(5),
        ...second.slice(0, 2),
      ]);
      const ofKind = await store.readers(cluster, key, { kind: 'b.evenkeel.dev', limit: 50 });
      expect(ofKind).toEqual({ items: second });
      const last = second.at(-1) ?? expect.fail('there is no last');
      expect((await store.readers(cluster, key, { kind: last.reader.kind, after: last.reader })).items).toEqual([]);
    });

    it('R-1.2 lists of a namespace and of all namespaces have readers of their own', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const ofNamespace = edge(cluster, listKey('secrets', 'default'));
      const ofAll = edge(cluster, listKey('secrets', ''));
      await store.putEdge(ofNamespace);
      await store.putEdge(ofAll);
      expect((await store.readers(cluster, 'secrets/default/*')).items).toEqual([ofNamespace]);
      expect((await store.readers(cluster, 'secrets//*')).items).toEqual([ofAll]);
    });

    it('R-1.5 a newer pass takes an edge over, an older one cannot take it back', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const first = edge(cluster, 'secrets/default/a');
      const newer = { ...first, epoch: 101 };
      expect(await store.putEdge(first)).toBe(true);
      expect(await store.putEdge(first)).toBe(true);
      expect(await store.putEdge(newer)).toBe(true);
      expect(await store.putEdge(first)).toBe(false);
      expect((await store.readers(cluster, 'secrets/default/a')).items).toEqual([newer]);
    });

    it('R-1.5 of two passes that assert an edge at the same moment the newer one stands', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const edges = Array.from({ length: 10 }, (_, index) => edge(cluster, `secrets/default/a${index}`));
      for (const older of edges) {
        const newer = { ...older, epoch: 101 };
        const [, accepted] = await Promise.all([store.putEdge(older), store.putEdge(newer)]);
        expect(accepted).toBe(true);
        expect((await store.readers(cluster, older.key)).items).toEqual([newer]);
      }
    });

    it('R-1.5 a pass deletes its own and older edges, never one that a newer pass asserts', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const asserted = edge(cluster, 'secrets/default/a');
      await store.putEdge(asserted);
      await store.deleteEdge({ ...asserted, epoch: 99 });
      expect((await store.readers(cluster, 'secrets/default/a')).items).toEqual([asserted]);
      await store.deleteEdge({ ...asserted, epoch: 101 });
      expect((await store.readers(cluster, 'secrets/default/a')).items).toEqual([]);
      await store.putEdge(asserted);
      await store.deleteEdge(asserted);
      expect((await store.readers(cluster, 'secrets/default/a')).items).toEqual([]);
    });

    it('R-5.6 deleting an edge that is absent is fine, and deletes no other', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const kept = edge(cluster, 'secrets/default/a');
      await store.putEdge(kept);
      await store.deleteEdge(edge(cluster, 'secrets/default/a'));
      expect((await store.readers(cluster, 'secrets/default/a')).items).toEqual([kept]);
    });

    it("R-5.7 the edges of a kind are enumerated in the API server's key order", async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const namespaces = ['a', 'a-b', 'a0', 'ab', 'b', 'default', 'x-1', 'x1'];
      const keys = namespaces.flatMap((namespace) => [
        listKey('secrets', namespace),
        ...NAMES.map((name) => objectKey('secrets', { namespace, name })),
      ]);
      await inParallel([listKey('secrets', ''), ...keys], (key) => store.putEdge(edge(cluster, key)));
      const seen: string[] = [];
      for (let shard = 0; shard < store.shards; shard += 1) {
        const found = (await allEdges(cluster, 'secrets', shard)).map(({ key }) => key);
        // Keys below /registry/secrets/ compare by their bytes, where '*' and '-' and '.' come before '/' and digits.
        expect(found).toEqual(found.toSorted());
        expect(found.every((key) => shardOf(key.split('/')[1] ?? '', store.shards) === shard)).toBe(true);
        seen.push(...found);
      }
      expect(seen.sort()).toEqual([listKey('secrets', ''), ...keys].sort());
    });

    it('R-5.7 the edges of cluster-scoped objects are enumerated in key order too', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const keys = NAMES.map((name) => objectKey('namespaces', { namespace: '', name }));
      await inParallel(keys, (key) => store.putEdge(edge(cluster, key)));
      const found = await allEdges(cluster, 'namespaces', shardOf('', store.shards));
      expect(found.map(({ key }) => key)).toEqual([...keys].sort());
    });

    it('R-5.7 the readers of one object come one after the other', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const keys = ['secrets/default/a', 'secrets/default/a', 'secrets/default/a-b', 'secrets/default/a'];
      await inParallel(keys, (key) => store.putEdge(edge(cluster, key)));
      const found = await allEdges(cluster, 'secrets', shardOf('default', store.shards));
      expect(found.map(({ key }) => key)).toEqual([...keys].sort());
    });

    it('R-5.7 edges beyond a page are read to their end, by reader and by kind', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      // Keys nearly as long as the table takes: a page holds 1 MB.
      const kind = 'k'.repeat(1_900);
      const name = 'n'.repeat(900);
      const key = objectKey(kind, { namespace: 'default', name });
      const edges = Array.from({ length: 450 }, () => edge(cluster, key));
      await inParallel(edges, (one) => store.putEdge(one));
      const shard = shardOf('default', store.shards);
      expect((await store.edges(cluster, kind, shard)).next).toBeDefined();
      expect(byReader(await allEdges(cluster, kind, shard))).toEqual(byReader(edges));
      const readers: Edge[] = [];
      for (let page = await store.readers(cluster, key); ; ) {
        readers.push(...page.items);
        const last = page.items.at(-1);
        if (page.next === undefined || last === undefined) break;
        page = await store.readers(cluster, key, { after: last.reader });
      }
      expect(readers).toEqual(byReader(edges));
    });
  });
}

function byReader(edges: readonly Edge[]): Edge[] {
  return edges.toSorted((a, b) => (a.reader.uid < b.reader.uid ? -1 : 1));
}
