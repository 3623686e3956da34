import { describe, expect, it } from 'vitest';
import { DOUBT_MS, type FanoutKey, type FanoutMarker, type Observation } from '../../../lib/ports/fanout-store.ts';
import { freshCluster, type GetSubject } from './subject.ts';

/** So late that no marker of a test expires by the machine's clock. */
const LATE = 4_000_000_000_000;

/** The newest change of an object that many read, and the round that tells of it. */
export function describeFanouts(subject: GetSubject): void {
  const freshKey = (): FanoutKey => ({
    cluster: freshCluster(),
    group: 't4',
    kind: 'secrets',
    namespace: 'default',
    name: 'shared.v-1',
  });
  const seen = (version: number, incarnation = 1): Observation => ({
    incarnation,
    version,
    seen: { uid: 'u-1', resourceVersion: String(version) },
  });
  const absent = (incarnation = 1): Observation => ({ incarnation, seen: { absentAt: '17' } });

  async function recorded(key: FanoutKey, observation: Observation, nowMs = LATE): Promise<FanoutMarker> {
    const marker = await subject().store.recordChange(key, observation, nowMs);
    if (marker === undefined) throw new Error('the change was refused');
    return marker;
  }

  describe('fan-out markers', () => {
    it('R-5.17 a new marker has what was seen, and counts its rounds from the clock', async () => {
      const key = freshKey();
      expect(await subject().store.readMarker(key)).toBeUndefined();
      const marker = { key, ...seen(7), round: LATE };
      expect(await recorded(key, seen(7))).toEqual(marker);
      expect(await subject().store.readMarker(key)).toEqual(marker);
    });

    it('R-5.17 a marker takes a newer version and the same one, in one request, and leaves the round', async () => {
      const { requests } = subject();
      const key = freshKey();
      await recorded(key, seen(7));
      const before = requests.length;
      expect(await recorded(key, seen(9), LATE + 5)).toMatchObject({ version: 9, round: LATE });
      expect(await recorded(key, seen(9), LATE + 6)).toMatchObject({ version: 9, round: LATE });
      expect(requests.slice(before).map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
    });

    it('R-5.17 a marker refuses an older version, and an older incarnation with any version', async () => {
      const { store } = subject();
      const key = freshKey();
      await recorded(key, seen(7, 2));
      expect(await store.recordChange(key, seen(6, 2), LATE)).toBeUndefined();
      expect(await store.recordChange(key, seen(9, 1), LATE)).toBeUndefined();
      expect(await store.recordChange(key, absent(1), LATE)).toBeUndefined();
      expect(await store.readMarker(key)).toEqual({ key, ...seen(7, 2), round: LATE });
    });

    it('R-5.17 R-5.8 a marker takes a lower version of a newer incarnation', async () => {
      const key = freshKey();
      await recorded(key, seen(7));
      expect(await recorded(key, seen(3, 2))).toEqual({ key, ...seen(3, 2), round: LATE });
    });

    it('R-5.17 an observation without a version leaves the version to order others, and leaves doubt', async () => {
      const { store } = subject();
      const key = freshKey();
      await recorded(key, seen(7));
      const marker = { key, ...absent(), version: 7, round: LATE, doubtUntilMs: LATE + 1 + DOUBT_MS };
      expect(await recorded(key, absent(), LATE + 1)).toEqual(marker);
      expect(await store.recordChange(key, seen(6), LATE)).toBeUndefined();
      expect(await recorded(key, seen(8))).toEqual({ ...marker, ...seen(8) });
    });

    it('R-5.17 R-5.8 an observation without a version begins a marker, and an incarnation without the old version', async () => {
      const key = freshKey();
      const doubtUntilMs = LATE + DOUBT_MS;
      expect(await recorded(key, absent())).toEqual({ key, ...absent(), round: LATE, doubtUntilMs });
      const other = freshKey();
      await recorded(other, seen(7));
      expect(await recorded(other, absent(2))).toEqual({ key: other, ...absent(2), round: LATE, doubtUntilMs });
      expect(await recorded(other, seen(3, 2))).toMatchObject({ version: 3, incarnation: 2 });
    });

    it('R-5.17 a round is begun once, and answers with what the marker has then', async () => {
      const { store } = subject();
      const key = freshKey();
      const read = await recorded(key, seen(7));
      await recorded(key, seen(8));
      const begun = { key, ...seen(8), round: LATE + 1, roundAtMs: LATE + 10, promptAtMs: LATE + 10 };
      expect(await store.beginRound(read, LATE + 10, true)).toEqual(begun);
      expect(await store.beginRound(read, LATE + 11, true)).toBeUndefined();
      expect(await store.readMarker(key)).toEqual(begun);
    });

    it('R-5.17 a round on the resync lane does not change the time of the last prompt round', async () => {
      const { store } = subject();
      const prompt = await store.beginRound(await recorded(freshKey(), seen(7)), LATE + 10, true);
      if (prompt === undefined) throw new Error('the round was refused');
      const repeated = await store.beginRound(prompt, LATE + 20, false);
      expect(repeated).toMatchObject({ round: LATE + 2, roundAtMs: LATE + 20, promptAtMs: LATE + 10 });
      expect(await recorded(prompt.key, seen(9))).toEqual({ ...repeated, ...seen(9) });
    });

    it('R-5.17 a marker names the delayed message of its next round when the round it was read at still stands', async () => {
      const { store } = subject();
      const read = await recorded(freshKey(), seen(7));
      const delayed = { setAtMs: LATE + 5, dueAtMs: LATE + 15, bulk: false };
      expect(await store.recordDelayed(read, delayed)).toBe(true);
      const noted = { ...read, delayed: { ...delayed, round: LATE } };
      expect(await store.readMarker(read.key)).toEqual(noted);
      expect(await recorded(read.key, seen(8))).toEqual({ ...noted, ...seen(8) });
      const later = { setAtMs: LATE + 6, dueAtMs: LATE + 66, bulk: true };
      expect(await store.recordDelayed(read, later)).toBe(true);
      expect(await store.readMarker(read.key)).toMatchObject({ delayed: { ...later, round: LATE } });
    });

    it('R-5.17 a marker refuses a delayed message when another round has begun, or there is no marker', async () => {
      const { store } = subject();
      const read = await recorded(freshKey(), seen(7));
      const begun = await store.beginRound(read, LATE + 10, true);
      expect(await store.recordDelayed(read, { setAtMs: LATE, dueAtMs: LATE + 10, bulk: false })).toBe(false);
      expect(await store.readMarker(read.key)).toEqual(begun);
      const marker = { key: freshKey(), ...seen(7), round: LATE };
      expect(await store.recordDelayed(marker, { setAtMs: LATE, dueAtMs: LATE + 10, bulk: false })).toBe(false);
      expect(await store.readMarker(marker.key)).toBeUndefined();
    });

    it('R-5.17 no round begins where there is no marker', async () => {
      const { store } = subject();
      const marker = { key: freshKey(), ...seen(7), round: LATE };
      expect(await store.beginRound(marker, LATE, true)).toBeUndefined();
      expect(await store.readMarker(marker.key)).toBeUndefined();
    });

    it('R-5.17 markers are apart by cluster, group, kind, namespace and name', async () => {
      const { store } = subject();
      const key = freshKey();
      await recorded(key, seen(7));
      const others = [
        { ...key, cluster: freshCluster() },
        { ...key, group: 'secret-contract' },
        { ...key, kind: 'configmaps' },
        { ...key, namespace: '' },
        { ...key, name: 'shared' },
      ];
      for (const other of others) expect(await store.readMarker(other)).toBeUndefined();
    });
  });
}
