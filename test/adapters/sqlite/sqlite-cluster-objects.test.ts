import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestState, queryFile, type TestState, temporaryDirectory } from './test-state.ts';

const secret = (name: string, revision: number, body: string | undefined = `{"name":"${name}"}`) => ({
  collection: 'secrets',
  key: `default/${name}`,
  revision,
  body,
});

describe('the objects of the embedded cluster in a state file', () => {
  let directory: string;
  const opened: TestState[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    for (const { state } of opened.splice(0)) state.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open() {
    const test = await openTestState({ directory });
    opened.push(test);
    return test.state;
  }

  it('R-5.21 objects and the last revision of each collection are there after a restart', async () => {
    const first = await open();
    expect(await first.clusterObjects.exist()).toBe(false);
    expect(await first.clusterObjects.load()).toBeUndefined();
    first.clusterObjects.add(secret('a', 1));
    first.clusterObjects.add(secret('b', 2));
    first.clusterObjects.add({ collection: 'namespaces', key: 'default', revision: 3, body: '{}' });
    first.clusterObjects.add(secret('a', 4, '{"changed":true}'));
    first.clusterObjects.add({ ...secret('b', 5), body: undefined });
    await first.clusterObjects.written();
    const again = await open();
    expect(await again.clusterObjects.exist()).toBe(true);
    const loaded = await again.clusterObjects.load();
    expect([...(loaded?.objects ?? [])].map((row) => ({ ...row }))).toEqual([
      { collection: 'namespaces', key: 'default', body: '{}' },
      { collection: 'secrets', key: 'default/a', body: '{"changed":true}' },
    ]);
    expect(loaded?.revisions).toEqual(
      new Map([
        ['secrets', 5],
        ['namespaces', 3],
      ]),
    );
  });

  it.each([
    ['a message', (state: TestState['state']) => state.store.countFailure('message', 1)],
    ['a pause', (state: TestState['state']) => state.store.setPaused('local', true)],
    ['a breaker', (state: TestState['state']) => state.store.setBreaker('local', 5)],
  ])('R-5.21 %s is never in the file without the objects that were written before it', async (_what, write) => {
    const state = await open();
    state.clusterObjects.add(secret('a', 1));
    expect(queryFile(state.path, 'SELECT key FROM object')).toEqual([]);
    await write(state);
    expect(queryFile(state.path, 'SELECT key FROM object')).toEqual([{ key: 'default/a' }]);
  });

  it('R-5.21 objects of a transaction that was undone are written by the next one, once and in order', async () => {
    const statements: string[] = [];
    let fails = true;
    const test = await openTestState({
      directory,
      onStatement: (sql) => {
        statements.push(sql);
        if (fails && sql.startsWith('INSERT INTO collection')) throw new Error('cut off');
      },
    });
    opened.push(test);
    test.state.clusterObjects.add(secret('a', 1));
    await expect(test.state.clusterObjects.written()).rejects.toThrow('cut off');
    expect(queryFile(test.state.path, 'SELECT key FROM object')).toEqual([]);
    test.state.clusterObjects.add(secret('a', 2, '{"second":true}'));
    fails = false;
    await Promise.all([test.state.clusterObjects.written(), test.state.clusterObjects.written()]);
    expect(queryFile(test.state.path, 'SELECT key, body FROM object')).toEqual([
      { key: 'default/a', body: '{"second":true}' },
    ]);
    const before = statements.length;
    await test.state.clusterObjects.written();
    expect(statements.length).toBe(before);
  });
});
