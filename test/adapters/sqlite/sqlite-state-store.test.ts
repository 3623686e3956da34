import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ItemError } from '../../../lib/core/errors.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import {
  acquired,
  acquireRequest,
  NOW as CONTRACT_NOW,
  commitRecord,
  committed,
  freshTarget,
} from '../../contract/state-store/subject.ts';
import { takeLease } from '../../support/take-lease.ts';
import { changeFile, openTestState, queryFile, type TestState, temporaryDirectory } from './test-state.ts';

const SPOILT = ["'{'", `'{"epoch":"1"}'`, "'[]'"];

describe('the state store in a state file', () => {
  let directory: string;
  let test: TestState;
  beforeEach(async () => {
    directory = temporaryDirectory();
    test = await openTestState({ directory, clock: new ManualClock(CONTRACT_NOW) });
  });
  afterEach(async () => {
    test.state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(SPOILT)('R-5.19 a target whose item has %s fails alone, and is named in lists', async (body) => {
    const { store } = test.state;
    const target = freshTarget();
    const other = freshTarget({ cluster: target.cluster });
    await committed(store, target);
    await committed(store, other);
    changeFile(test.state.path, `UPDATE item SET body = ${body} WHERE sk = '${target.uid}'`);
    await expect(store.acquire(acquireRequest(target))).rejects.toThrow(ItemError);
    await expect(store.readTarget(target)).rejects.toThrow(new RegExp(target.uid));
    const listed = await store.readTargets([target, other]);
    expect(listed.map(({ unreadable }) => unreadable !== undefined)).toEqual([true, false]);
    expect(await takeLease(store, acquireRequest(other))).toBeDefined();
  });

  it('R-6.8 an item of a newer format is refused, and left as it is', async () => {
    const { store } = test.state;
    const target = freshTarget();
    await committed(store, target);
    changeFile(test.state.path, "UPDATE item SET body = json_set(body, '$.format', 2)");
    const before = queryFile(test.state.path, 'SELECT body FROM item');
    await expect(store.acquire(acquireRequest(target))).rejects.toThrow(/has format 2, and this release reads 1/);
    expect(queryFile(test.state.path, 'SELECT body FROM item')).toEqual(before);
  });

  it('R-6.8 fields of a target that this release does not know are kept by every write', async () => {
    const { store } = test.state;
    const target = freshTarget();
    await committed(store, target);
    changeFile(test.state.path, `UPDATE item SET body = json_set(body, '$.future', json('{"a":[1]}'))`);
    const hold = await acquired(store, target);
    await store.saveValues(hold, { a: 1 });
    await store.markHeld(hold, 'any', CONTRACT_NOW + 1, CONTRACT_NOW);
    await store.commitOverDirty(hold, commitRecord({ values: { a: 1 } }));
    const future = queryFile(test.state.path, "SELECT json_extract(body, '$.future') AS future FROM item");
    expect(future).toEqual([{ future: '{"a":[1]}' }]);
  });

  it.each(SPOILT)('R-5.19 a poll whose item has %s starts again when a pass touches it', async (body) => {
    const { store } = test.state;
    const poll = { cluster: 'local', group: 't4', kind: 'configmaps', namespace: 'default', name: 'settings' };
    await store.touchPoll(poll, CONTRACT_NOW, 60_000);
    changeFile(test.state.path, `UPDATE item SET body = ${body}`);
    await expect(store.readPoll(poll)).rejects.toThrow(ItemError);
    await store.touchPoll(poll, CONTRACT_NOW + 5, 60_000);
    expect(await store.readPoll(poll)).toMatchObject({ counter: CONTRACT_NOW + 6, dueAtMs: CONTRACT_NOW + 60_005 });
  });

  it.each(SPOILT)('R-5.19 a marker with %s starts again as doubtful, and says so', async (body) => {
    const { store } = test.state;
    const key = { cluster: 'local', group: 't4', kind: 'secrets', namespace: 'default', name: 'shared' };
    const observation = { incarnation: 1, version: 7, seen: { resourceVersion: '7' } };
    await store.recordChange(key, observation, CONTRACT_NOW);
    changeFile(test.state.path, `UPDATE item SET body = ${body}`);
    await expect(store.readMarker(key)).rejects.toThrow(ItemError);
    const marker = await store.recordChange(key, observation, CONTRACT_NOW + 5);
    expect(marker).toMatchObject({ version: 7, round: CONTRACT_NOW + 5 });
    expect(marker?.unreadable).toContain('cannot be read');
    expect(marker?.doubtUntilMs).toBeGreaterThan(CONTRACT_NOW);
  });

  it('R-5.18 a page of large items ends after about a megabyte', async () => {
    const { store } = test.state;
    const edges = Array.from({ length: 1_000 }, (_, index) => `secrets/default/${'a'.repeat(200)}${index}`);
    const cluster = 'local';
    for (let index = 0; index < 40; index += 1) await committed(store, freshTarget({ cluster }), { edges });
    for (let shard = 0; shard < store.shards; shard += 1) {
      const { items } = await store.inventory(cluster, freshTarget().kind, shard);
      expect(items.length).toBeLessThanOrEqual(6);
    }
  });

  it('R-6.4 a state file that cannot be opened as a file gives a clear error', async () => {
    const other = temporaryDirectory();
    mkdirSync(join(other, 'evenkeel.db'));
    await expect(openTestState({ directory: other })).rejects.toThrow(/evenkeel.db cannot be used \(EISDIR\)/);
    rmSync(other, { recursive: true });
  });
});
