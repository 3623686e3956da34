import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APPLICATION_ID, SCHEMA_VERSION } from '../../../lib/adapters/sqlite/schema.ts';
import { StateFileError } from '../../../lib/adapters/sqlite/sqlite-failure.ts';
import { publish } from '../../../lib/adapters/sqlite/state-file.ts';
import { changeFile, openTestState, queryFile, temporaryDirectory } from './test-state.ts';

/** The head of a file that has our numbers where a state file has them. */
function headerOf(magic: string, bytes: number): Buffer {
  const header = Buffer.alloc(bytes);
  header.write(magic, 'latin1');
  header.writeInt32BE(SCHEMA_VERSION, 60);
  header.writeInt32BE(APPLICATION_ID, 68);
  return header;
}

describe('the state file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory, 'evenkeel.db');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const contents = () =>
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).toString('hex')]);

  async function expectRefused(message: RegExp): Promise<void> {
    const before = contents();
    const opening = openTestState({ directory });
    await expect(opening).rejects.toThrow(StateFileError);
    await expect(opening).rejects.toThrow(message);
    expect(contents()).toEqual(before);
  }

  it('R-5.24 a new state file names its application and its schema, and only its user can read it', async () => {
    const nested = join(directory, 'a', 'b');
    const { state } = await openTestState({ directory: nested });
    await state.store.setPaused('local', true);
    for (const name of readdirSync(nested))
      expect([name, statSync(join(nested, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(statSync(nested).mode & 0o777).toBe(0o700);
    expect(readdirSync(nested).sort()).toEqual(['evenkeel.db', 'evenkeel.db-shm', 'evenkeel.db-wal']);
    state.close();
    expect(queryFile(state.path, 'PRAGMA application_id')).toEqual([{ application_id: APPLICATION_ID }]);
    expect(queryFile(state.path, 'PRAGMA user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
    expect(queryFile(state.path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it('R-5.24 a state file that others can read is closed to them when it is opened', async () => {
    const { state } = await openTestState({ directory });
    state.close();
    chmodSync(path, 0o644);
    const again = await openTestState({ directory });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    again.state.close();
  });

  it.each([
    ['text', Buffer.from('not a database, but long enough to be one: '.repeat(10))],
    ['nothing', Buffer.alloc(0)],
    ['less than a header', Buffer.from('SQLite format 3\0')],
    ['our numbers in something else', headerOf('another format \0', 100)],
    ['our numbers in less than a header', headerOf('SQLite format 3\0', 99)],
  ])('R-6.4 a file of that name with %s is refused and left as it is', async (_what, content) => {
    writeFileSync(path, content);
    await expectRefused(/is not a state file of evenkeel/);
  });

  it.each([
    ['no application', 0],
    ['another application', 0x0f055112],
  ])('R-6.4 a database of %s is refused and left as it is', async (_what, applicationId) => {
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE item (pk); PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
    database.close();
    await expectRefused(/is not a state file of evenkeel/);
  });

  it.each([
    ['a newer release', SCHEMA_VERSION + 1, /was written by a newer release/],
    ['a much newer release', 1_000, /was written by a newer release/],
    ['no release', 0, /which no release wrote/],
  ])('R-6.8 a state file of %s is refused and left as it is', async (_what, version, message) => {
    const { state } = await openTestState({ directory });
    state.close();
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = DELETE; PRAGMA user_version = ${version}`);
    database.close();
    await expectRefused(message);
  });

  it('R-6.8 a state file is refused when only its log says that a newer release wrote it', async () => {
    const { state } = await openTestState({ directory });
    state.close();
    const newer = new DatabaseSync(path);
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    const stored = readFileSync(path);
    await expect(openTestState({ directory })).rejects.toThrow(/was written by a newer release/);
    expect(readFileSync(path)).toEqual(stored);
    newer.close();
  });

  it.each([
    ['NFS', 0x6969],
    ['SMB', 0xfe534d42],
    ['FUSE', 0x65735546],
  ])('R-6.4 a directory on %s is refused by that name, and nothing is created there', async (name, type) => {
    const opening = openTestState({ directory, fileSystemTypeOf: () => type });
    await expect(opening).rejects.toThrow(new RegExp(`a file system where SQLite is not safe \\(${name}`));
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['a system that does not say', undefined],
  ])('R-6.1 a directory on %s is accepted', async (_name, type) => {
    const { state } = await openTestState({ directory, fileSystemTypeOf: () => type });
    state.close();
  });

  it('R-6.4 a state directory that is a file is refused', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    await expect(openTestState({ directory: file })).rejects.toThrow(/the state directory .* cannot be used/);
  });

  it('R-6.8 a state file keeps its number of shards', async () => {
    const { state } = await openTestState({ directory, shards: 3 });
    expect(state.store.shards).toBe(3);
    state.close();
    await expect(openTestState({ directory, shards: 4 })).rejects.toThrow(/was made for 3 shards/);
    const again = await openTestState({ directory, shards: 3 });
    again.state.close();
  });

  it('R-5.5 unfinished files of a killed process are removed when the file is opened', async () => {
    const { state } = await openTestState({ directory });
    state.close();
    writeFileSync(`${path}.unfinished-1`, 'x');
    writeFileSync(join(directory, 'notes.txt'), 'x');
    const again = await openTestState({ directory });
    again.state.close();
    expect(readdirSync(directory).sort()).toEqual(['evenkeel.db', 'notes.txt']);
  });

  it('R-5.5 a new state file is written to the disk before it has its name', async () => {
    const statements: string[] = [];
    const { state } = await openTestState({ directory, onStatement: (sql) => statements.push(sql) });
    state.close();
    expect(statements[0]).toBe('PRAGMA synchronous = FULL');
    expect(statements[1]).toContain('CREATE TABLE');
  });

  it('R-1.10 a process that creates a state file keeps the one that another process created first', () => {
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    for (const file of [first, second]) {
      writeFileSync(file, file);
      publish(file, path);
    }
    expect(readFileSync(path, 'utf8')).toBe(first);
  });

  it('R-1.10 of processes that open a new directory at once all use the same file', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openTestState({ directory })));
    await opened[0]?.state.store.setPaused('local', true);
    for (const { state } of opened) expect((await state.store.readCluster('local')).paused).toBe(true);
    for (const { state } of opened) state.close();
    mkdirSync(join(directory, 'empty'));
  });

  it('R-6.4 a request fails with a clear error when the state is closed', async () => {
    const { state } = await openTestState({ directory });
    const queue = await state.fifoQueue('evenkeel-local-events');
    state.close();
    state.close();
    await expect(state.store.readCluster('local')).rejects.toThrow(/is closed/);
    await expect(queue.send([{ body: '', messageGroupId: 'g', deduplicationId: 'd' }])).rejects.toThrow(/is closed/);
  });

  it.each([
    ["an item's page", 'UPDATE item SET body = 1'],
    ['no JSON', "UPDATE item SET body = '{'"],
    ['a field of another type', `UPDATE item SET body = '{"incarnation":"1"}'`],
  ])('R-5.19 an item is named when its stored value is %s', async (_what, change) => {
    const { state } = await openTestState({ directory });
    await state.store.setPaused('local', true);
    changeFile(path, change);
    await expect(state.store.readCluster('local')).rejects.toThrow(/the item R#local health cannot be read/);
    expect((await state.store.readCluster('other')).paused).toBe(false);
    state.close();
  });

  it('R-6.4 a damaged file gives a clear error', async () => {
    const { state } = await openTestState({ directory });
    await state.store.setPaused('local', true);
    state.close();
    const damaged = readFileSync(path);
    damaged.fill(0x5a, 4_096);
    writeFileSync(path, damaged);
    await expect(openTestState({ directory })).rejects.toThrow(/is damaged: stop evenkeel, and restore a backup/);
  });
});
