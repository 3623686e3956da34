import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { kubeconfigText } from '../../cli/local/kubeconfig-text.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { writeRunRecord } from '../../cli/state/run-record.ts';
import { claimStateDirectory, type StateDirectory } from '../../cli/state/state-directory.ts';
import { type LocalStack, startLocalStack } from '../../cli/wiring-local.ts';
import { type LocalState, openLocalState } from '../../cli/wiring-state.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';
import { connectEmulators, type EmulatedStack, startEmulatedStack } from '../support/emulators/emulated-stack.ts';

const OPERAND = 'secretcontract/default/web';
const COMMANDS_WITH_CLUSTER = [
  ['pause'],
  ['resume'],
  ['list'],
  ['list', '--failing', '-o', 'json'],
  ['requeue', OPERAND],
  ['explain', OPERAND],
  ['restored'],
];

let folder: string;
let state: LocalState;
let stack: LocalStack;
let cloud: EmulatedStack;
let directory: StateDirectory;
let parameters: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-names-'));
  cloud = await startEmulatedStack({ groups: ['secret-contract'], visibilityMs: 60_000 });
  directory = claimStateDirectory(join(folder, 'state'), process.pid);
  state = await openLocalState(directory.path, ['secret-contract'], 'test');
  stack = await startLocalStack({ state: state.sqlite, apiServerPort: 0 });
  const kubeconfig = directory.file('kubeconfig');
  if (stack.apiServer === undefined) throw new Error('the stack has no API server');
  writeFileSync(kubeconfig, kubeconfigText(stack.apiServer));
  writeFileSync(join(folder, 'settings.yaml'), 'cluster: east\n');
  writeRunRecord(directory.path, {
    v: 1,
    pid: process.pid,
    startedAt: '2026-01-01T00:00:00Z',
    version: '0.0.0',
    cluster: { name: 'east', kubeconfig, context: 'evenkeel', embedded: true },
    state: state.sqlite.path,
    token: stack.token,
    settings: join(folder, 'settings.yaml'),
  });
  parameters = createServer((_, response) => {
    const names = ['prod-us-1', 'prod-eu-1'].map((name) => `/evenkeel/prod/clusters/${name}`);
    response.end(JSON.stringify({ Parameters: names.map((Name) => ({ Name, Value: '{}', Type: 'String' })) }));
  });
  await new Promise((resolve) => parameters.listen(0, '127.0.0.1', () => resolve(undefined)));
});
afterAll(async () => {
  await new Promise((resolve) => parameters.close(resolve));
  await stack.close();
  state.sqlite.close();
  directory.release();
  await cloud.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  for (const name of ['AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', cloud.token);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', cloud.table.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', cloud.queue.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', `http://127.0.0.1:${(parameters.address() as AddressInfo).port}`);
});
afterEach(() => vi.unstubAllEnvs());

async function run(...args: string[]) {
  const terminal = new RecordedTerminal();
  const code = await runCommandLine(args, terminal, COMMANDS, () => 'unforeseen');
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

const here = () => ['--state-dir', directory.path];
const prod = () => ['--stage', 'prod', '--table', cloud.table.name, '--settings', join(folder, 'settings.yaml')];
const table = () => ['--table', cloud.table.name];

describe('--cluster', () => {
  it.each(COMMANDS_WITH_CLUSTER)('R-6.4 %s of a cluster that does not run here is refused', async (...words) => {
    const finished = await run(...words, ...here(), '--cluster', 'eats');
    expect(finished).toMatchObject({ code: 2, out: '' });
    expect(finished.err).toContain('has no cluster "eats". Did you mean "east"? It has: east.');
  });

  it.each(COMMANDS_WITH_CLUSTER)('R-6.4 %s of a cluster that the stage does not have is refused', async (...words) => {
    const finished = await run(...words, ...prod(), '--cluster', 'prod-eu-11');
    expect(finished).toMatchObject({ code: 2, out: '' });
    expect(finished.err).toContain(
      'stage prod has no cluster "prod-eu-11". Did you mean "prod-eu-1"? It has: prod-eu-1, prod-us-1.',
    );
  });

  it.each(COMMANDS_WITH_CLUSTER)('R-6.4 %s of a cluster that is not in the table is refused', async (...words) => {
    const named = await run(...words, ...table(), '--cluster', 'constructor');
    const byDefault = await run(...words, ...table());
    expect([named.code, named.out, byDefault.code, byDefault.out]).toEqual([2, '', 2, '']);
    expect(named.err).toContain(`table ${cloud.table.name} has no cluster "constructor"`);
    expect(byDefault.err).toContain(`table ${cloud.table.name} has no cluster "local"`);
  });

  it('R-6.7 pause and resume of a known cluster succeed, and a refused pause writes nothing', async () => {
    const { store: cloudStore, close } = connectEmulators(cloud);
    const { store: localStore } = state.ports;
    await run('pause', ...here(), '--cluster', 'eats');
    expect((await localStore.readCluster('eats')).paused).toBe(false);
    for (const [options, cluster, store] of [
      [here(), 'east', localStore],
      [prod(), 'prod-us-1', cloudStore],
    ] as const) {
      expect(await run('pause', ...options, '--cluster', cluster)).toMatchObject({ code: 0, err: '' });
      expect((await store.readCluster(cluster)).paused).toBe(true);
      expect((await run('resume', ...options, '--cluster', cluster)).code).toBe(0);
      expect((await store.readCluster(cluster)).paused).toBe(false);
    }
    close();
  });

  it('R-6.7 a cluster in the table is known although its parameter is gone', async () => {
    const { store, close } = connectEmulators(cloud);
    await store.pinClusterUid('removed', 'uid');
    for (const options of [prod(), table()]) {
      expect(await run('list', ...options, '--cluster', 'removed')).toMatchObject({ code: 0 });
    }
    close();
  });
});

describe('other names', () => {
  it.each([
    [['redrive'], 'name the deployment with --stage STAGE.'],
    [['redrive', '--dry-run'], 'name the deployment with --stage STAGE.'],
    [['redrive', '--queue', 'evenkeel-prod-wakes-dead'], 'name the deployment with --stage STAGE'],
    [['doctor', '-o', 'json'], 'name the deployment with --stage STAGE.'],
  ])('R-6.4 %j without a stage is refused, even if AWS settings are missing', async (words, message) => {
    vi.stubEnv('AWS_REGION', undefined);
    const finished = await run(...words);
    expect(finished).toMatchObject({ code: 2, out: '' });
    expect(finished.err).toContain(message);
  });

  it.each([
    ['list', '--kind', 'constructor'],
    ['list', '--kind', '__proto__'],
    ['explain', 'toString/default/web'],
    ['requeue', 'pods/default/web'],
  ])('R-6.4 %s %s %s: a kind that nobody reconciles is refused with those that are', async (...words) => {
    const finished = await run(...words, ...here());
    expect(finished).toMatchObject({ code: 2, out: '' });
    expect(finished.err).toContain('is no kind that is reconciled here. The kinds are: secretcontract or');
  });
});
