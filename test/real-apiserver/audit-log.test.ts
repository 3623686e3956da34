import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog, isWrite } from './audit-log.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenkeel-audit-'));
  file = join(folder, 'audit.log');
  await writeFile(file, '');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function line(auditID: string, stage: string, verb = 'get'): string {
  return `${JSON.stringify({ auditID, stage, verb, requestURI: '/', user: { username: 'u' } })}\n`;
}

function answered(auditID: string, verb?: string): string {
  return line(auditID, 'RequestReceived', verb) + line(auditID, 'ResponseComplete', verb);
}

/** A log whose marker request is recorded like any other. */
function auditLog(): AuditLog {
  return new AuditLog(file, (auditID) => appendFile(file, answered(auditID)));
}

test('each request is one entry, in the order of arrival, without the marker', async () => {
  await appendFile(file, line('a', 'RequestReceived') + answered('b') + line('a', 'ResponseComplete'));
  const entries = await auditLog().entries();
  expect(entries.map(({ auditID, stage }) => [auditID, stage])).toEqual([
    ['a', 'ResponseComplete'],
    ['b', 'ResponseComplete'],
  ]);
});

test('a request that arrived before the call is waited for, one that arrived after it is not', async () => {
  await appendFile(file, line('slow', 'RequestReceived', 'patch'));
  const log = new AuditLog(file, (auditID) =>
    appendFile(file, answered(auditID) + line('later', 'RequestReceived', 'patch')),
  );
  let seen: string[] | undefined;
  const reading = log.entries().then((entries) => {
    seen = entries.map(({ auditID }) => auditID);
  });
  await new AuditLog(file, (auditID) => appendFile(file, answered(auditID))).mark();
  expect(seen).toBeUndefined();

  await appendFile(file, line('slow', 'ResponseComplete', 'patch'));
  await reading;
  expect(seen).toEqual(['slow']);
});

test('an open watch is an entry and is not waited for', async () => {
  await appendFile(file, line('w', 'RequestReceived', 'watch') + line('w', 'ResponseStarted', 'watch'));
  expect(await auditLog().entries()).toMatchObject([{ auditID: 'w', stage: 'ResponseStarted' }]);
});

test('what arrived before a mark is not after it, even when answered after it', async () => {
  await appendFile(file, answered('old', 'create') + line('late', 'RequestReceived', 'update'));
  const mark = await auditLog().mark();
  await appendFile(file, line('late', 'ResponseComplete', 'update') + answered('new', 'delete'));
  expect((await auditLog().entries(mark)).map(({ auditID }) => auditID)).toEqual(['new']);
});

test('a line still being written is left for later', async () => {
  await appendFile(file, answered('whole'));
  const mark = await auditLog().mark();
  const half = line('half', 'RequestReceived');
  await appendFile(file, half.slice(0, 20));
  expect(await auditLog().mark()).toEqual(mark);
  await appendFile(file, half.slice(20) + line('half', 'ResponseComplete'));
  expect((await auditLog().entries(mark)).map(({ auditID }) => auditID)).toEqual(['half']);
});

test('writes are told from reads by their verb', async () => {
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  await appendFile(file, verbs.map((verb) => answered(verb, verb)).join(''));
  const writes = (await auditLog().entries()).filter(isWrite).map(({ verb }) => verb);
  expect(writes).toEqual(['create', 'update', 'patch', 'delete', 'deletecollection']);
});
