import { describe, expect, it } from 'vitest';
import { ABSENT_VERSION } from '../../../lib/core/observation.ts';
import type { PollKey, PollState } from '../../../lib/ports/state-store.ts';
import { dueHints, freshCluster, type GetSubject, NOW } from './subject.ts';

/** One poll for all readers of an object that no relay watches. */
export function describePolls(subject: GetSubject): void {
  function freshPoll(): PollKey {
    return { cluster: freshCluster(), group: 't4', kind: 'configmaps', namespace: 'default', name: 'settings.v-1' };
  }

  async function readPoll(poll: PollKey): Promise<PollState> {
    const state = await subject().store.readPoll(poll);
    if (state === undefined) throw new Error('the poll is absent');
    return state;
  }

  async function touched(): Promise<PollState> {
    const poll = freshPoll();
    await subject().store.touchPoll(poll, NOW, 60_000);
    return readPoll(poll);
  }

  describe('polls', () => {
    it('R-4.4 a new poll is due one interval from now, with nothing seen', async () => {
      const { store } = subject();
      const poll = freshPoll();
      expect(await store.readPoll(poll)).toBeUndefined();
      await store.touchPoll(poll, NOW, 60_000);
      expect(await store.readPoll(poll)).toEqual({
        poll,
        counter: 1,
        intervalMs: 60_000,
        dueAtMs: NOW + 60_000,
        dueSetAtMs: NOW,
        wakeSent: false,
      });
      expect(await dueHints(store, poll.cluster, NOW + 60_000)).toEqual([
        { type: 'poll', poll, dueAtMs: NOW + 60_000 },
      ]);
    });

    it('R-1.29 a poll says when its deadline was set, by whichever of touch and save set it last', async () => {
      const { store } = subject();
      const poll = freshPoll();
      const setAt = async () => (await store.readPoll(poll))?.dueSetAtMs;
      await store.touchPoll(poll, NOW, 60_000);
      expect(await setAt()).toBe(NOW);
      await store.touchPoll(poll, NOW + 7, 60_000);
      expect(await setAt()).toBe(NOW);
      await store.touchPoll(poll, NOW + 8, 30_000);
      expect(await setAt()).toBe(NOW + 8);
      const read = await store.readPoll(poll);
      if (read === undefined) throw new Error('the poll is gone');
      await store.savePoll(read, 7, NOW + 90_000, NOW + 9);
      expect(await setAt()).toBe(NOW + 9);
    });

    it('R-4.4 a poll of a cluster-scoped object is found with an empty namespace', async () => {
      const { store } = subject();
      const poll = { ...freshPoll(), kind: 'clusterhosts.t4.evenkeel.dev', namespace: '' };
      await store.touchPoll(poll, NOW, 60_000);
      expect(await dueHints(store, poll.cluster, NOW + 60_000)).toEqual([
        { type: 'poll', poll, dueAtMs: NOW + 60_000 },
      ]);
    });

    it('R-4.4 touching a poll forgets what it saw, counts, and leaves its deadline', async () => {
      const { store } = subject();
      const read = await touched();
      await store.savePoll(read, 7, NOW + 60_000, NOW);
      await store.touchPoll(read.poll, NOW + 50_000, 60_000);
      expect(await store.readPoll(read.poll)).toEqual({ ...read, counter: 2, wakeSent: true });
    });

    it('R-4.4 a shorter interval brings the deadline forward, a longer one does not put it off', async () => {
      const { store } = subject();
      const { poll } = await touched();
      await store.touchPoll(poll, NOW + 1_000, 30_000);
      expect(await readPoll(poll)).toMatchObject({ counter: 2, intervalMs: 30_000, dueAtMs: NOW + 31_000 });
      await store.touchPoll(poll, NOW + 2_000, 300_000);
      expect(await readPoll(poll)).toMatchObject({ counter: 3, intervalMs: 300_000, dueAtMs: NOW + 31_000 });
      const hints = await dueHints(store, poll.cluster, NOW + 1e6);
      expect(hints.map(({ dueAtMs }) => dueAtMs)).toEqual([NOW + 31_000]);
    });

    it('R-4.4 a recorded deadline has its wake, one that a touch brings forward has none', async () => {
      const { store } = subject();
      const read = await touched();
      expect(read.wakeSent).toBe(false);
      await store.savePoll(read, 7, NOW + 120_000, NOW);
      await store.touchPoll(read.poll, NOW + 70_000, 60_000);
      expect(await readPoll(read.poll)).toMatchObject({ dueAtMs: NOW + 120_000, wakeSent: true });
      await store.touchPoll(read.poll, NOW + 80_000, 30_000);
      expect(await readPoll(read.poll)).toMatchObject({ dueAtMs: NOW + 110_000, wakeSent: false });
    });

    it('R-5.11 touching a poll is one write, and one refused besides when its deadline is set', async () => {
      const { store, requests } = subject();
      const poll = freshPoll();
      const from = requests.length;
      await store.touchPoll(poll, NOW, 60_000);
      await store.touchPoll(poll, NOW + 1, 60_000);
      expect(requests.slice(from).map(({ refused = false, deadline = false }) => [refused, deadline])).toEqual([
        [true, false],
        [false, true],
        [false, false],
      ]);
    });

    it('R-4.4 touches at the same moment all count', async () => {
      const { store } = subject();
      const poll = freshPoll();
      await Promise.all(Array.from({ length: 5 }, () => store.touchPoll(poll, NOW, 60_000)));
      expect(await readPoll(poll)).toMatchObject({ counter: 5, dueAtMs: NOW + 60_000 });
    });

    it.each([
      ['a version', 12],
      ['absence', ABSENT_VERSION],
      ['nothing known', undefined],
    ])('R-4.4 a poll records what it saw and when it is due again: %s', async (_what, version) => {
      const { store } = subject();
      const read = await touched();
      expect(await store.savePoll(read, version, NOW + 120_000, NOW)).toBe(true);
      const saved = { ...read, dueAtMs: NOW + 120_000, wakeSent: true, ...(version !== undefined && { version }) };
      expect(await store.readPoll(read.poll)).toEqual(saved);
      expect(await store.savePoll(saved, undefined, NOW + 180_000, NOW)).toBe(true);
      expect(await store.readPoll(read.poll)).toEqual({ ...read, dueAtMs: NOW + 180_000, wakeSent: true });
    });

    it('R-4.4 a poll that was touched after it was read records nothing', async () => {
      const { store } = subject();
      const read = await touched();
      await store.touchPoll(read.poll, NOW + 1, 60_000);
      expect(await store.savePoll(read, 12, NOW + 120_000, NOW)).toBe(false);
      expect(await store.readPoll(read.poll)).toEqual({ ...read, counter: 2 });
    });

    it('R-4.4 a poll that another one recorded after it was read records nothing', async () => {
      const { store } = subject();
      const read = await touched();
      expect(await store.savePoll(read, 12, NOW + 120_000, NOW)).toBe(true);
      expect(await store.savePoll(read, 11, NOW + 130_000, NOW)).toBe(false);
      const other = { ...read, version: 11 };
      expect(await store.savePoll(other, 13, NOW + 130_000, NOW)).toBe(false);
      expect(await readPoll(read.poll)).toMatchObject({ version: 12, dueAtMs: NOW + 120_000 });
    });

    it('R-5.6 a poll that is absent is neither recorded nor created', async () => {
      const { store } = subject();
      const poll = freshPoll();
      expect(
        await store.savePoll({ poll, counter: 1, intervalMs: 60_000, dueAtMs: NOW, wakeSent: false }, 12, NOW, NOW),
      ).toBe(false);
      expect(await store.readPoll(poll)).toBeUndefined();
    });

    it('R-4.4 a poll is deleted only with the counter that was read, and its deadline with it', async () => {
      const { store } = subject();
      const { poll, counter } = await touched();
      await store.touchPoll(poll, NOW, 60_000);
      expect(await store.deletePoll(poll, counter)).toBe(false);
      expect(await store.deletePoll(poll, counter + 1)).toBe(true);
      expect(await store.deletePoll(poll, counter + 1)).toBe(false);
      expect(await store.readPoll(poll)).toBeUndefined();
      expect(await dueHints(store, poll.cluster, NOW + 1e6)).toEqual([]);
    });

    it('R-5.12 polls of one object by two groups are apart', async () => {
      const { store } = subject();
      const { poll } = await touched();
      const other = { ...poll, group: 'control-plane' };
      expect(await store.readPoll(other)).toBeUndefined();
      await store.touchPoll(other, NOW, 30_000);
      expect(await readPoll(poll)).toMatchObject({ counter: 1, intervalMs: 60_000 });
    });
  });
}
