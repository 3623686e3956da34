import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectedCluster, connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType } from '../../lib/core/resource-type.ts';
import { EMULATOR_STAGE } from '../../lib/deployment/cloud/cloud-names.ts';
import { isApiError } from '../../lib/ports/cluster-api.ts';
import { EvenkeelFolder } from '../e2e/support/evenkeel-process.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { packPackage, writeOldProject } from '../e2e/support/installed-package.ts';
import { AwsApi } from './support/aws-api.ts';
import { EMULATOR_ACCOUNT, EMULATOR_REGION, Emulator, freePort, signalProcess } from './support/emulator.ts';

const run = promisify(execFile);
const LIMIT_MS = 180_000;
const STAGE = ['--stage', EMULATOR_STAGE];
const FUNCTION = `evenkeel-${EMULATOR_STAGE}-reconcile-greeting`;
const PLACE = { namespace: 'default', name: 'hello' };

const Greetings: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'greetings',
  kind: 'Greeting',
  namespaced: true,
};

describe('a project of an author on an emulator of AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-author-'));
  const project = join(folder, 'greeter');
  const controllersFile = join(project, 'controllers.ts');
  const opened = new AsyncDisposableStack();
  let emulator: Emulator;
  let cluster: EvenkeelFolder;
  let connected: ConnectedCluster;
  let archive = '';

  beforeAll(async () => {
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    archive = await packPackage(folder);
    // The commands of an author who has Node.js, npm and the package as a file.
    await npm(folder, 'install', '--prefix', folder, archive);
    await run(join(folder, 'node_modules', '.bin', 'evenkeel'), ['init', project, '--yes'], { cwd: folder });
    await npm(project, 'install', archive);
    cpSync(join(project, 'stages', 'dev.yml'), join(project, 'stages', `${EMULATOR_STAGE}.yml`));
    const port = await freePort();
    emulator = opened.use(await Emulator.start(port, `http://127.0.0.1:${port}`));
    // A cluster in which no part of evenkeel runs.
    cluster = opened.use(new EvenkeelFolder());
    await cluster.start(['--parts', 'stack', '--empty']);
    const clock = new SystemClock();
    const { connection } = await loadKubeconfig({ file: cluster.kubeconfig, environment: {}, clock });
    connected = connectCluster({ connection, userAgent: 'test', clock });
    opened.defer(() => connected.close());
  });
  afterAll(() => opened.disposeAsync());

  it('R-6.9 R-6.3 its controller reconciles an object in its own function after deploy and cluster add', async () => {
    expect(await inProject('serverless', 'deploy', ...STAGE)).toContain('reconcile-greeting');
    const added = await inProject(
      'evenkeel',
      'cluster',
      'add',
      'east',
      '--kubeconfig',
      cluster.kubeconfig,
      ...STAGE,
      '--yes',
    );
    expect(added).toContain('done: install CRD greetings.example.com');
    expect(added).toContain('done: create parameter /evenkeel/emulator/clusters/east');
    const greeting = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: PLACE, spec: { message: 'ahoy' } };
    await connected.api.create(Greetings, greeting, { fieldManager: 'test' });
    await copyReads('ahoy');
    const again = await inProject(
      'evenkeel',
      'cluster',
      'add',
      'east',
      '--kubeconfig',
      cluster.kubeconfig,
      ...STAGE,
      '--yes',
    );
    expect(again).toContain('nothing is missing');
  });

  it('R-6.9 R-5.2 its function is killed while it has work, and the work is done', async () => {
    await edit('from a killed function');
    await eventually(
      'process of the function',
      async () => {
        const running = emulator.functionProcesses().filter(({ functionName }) => functionName === FUNCTION);
        for (const { pid } of running) signalProcess(pid, 'SIGKILL');
        return running.length > 0 ? true : undefined;
      },
      LIMIT_MS,
    );
    await edit('after the kill');
    await copyReads('after the kill');
  });

  it('R-6.9 R-5.20 a change waits while its function is throttled, and is handled afterwards', async () => {
    const aws = new AwsApi(emulator.url);
    const concurrency = `/2017-10-31/functions/${FUNCTION}/concurrency`;
    await aws.rest('lambda', 'PUT', concurrency, {}, JSON.stringify({ ReservedConcurrentExecutions: 0 }));
    try {
      await edit('throttled');
      await eventually('waiting message', async () => ((await waitingMessages()) > 0 ? true : undefined), LIMIT_MS);
      expect(await message()).toBe('after the kill');
    } finally {
      await aws.rest('lambda', 'DELETE', concurrency);
    }
    await copyReads('throttled');
  });

  it('R-6.9 R-6.4 R-5.15 its next version needs its CRD in the cluster first, then runs a pass of each object', async () => {
    const source = readFileSync(controllersFile, 'utf8');
    const next = source
      .replace("version: '1'", "version: '2'")
      .replace('max(200) })', 'max(200), end: z.string().max(9).default("!") })')
      .replace('const { message } = spec', 'const message = spec.message + spec.end');
    expect(next).toContain('spec.end');
    writeFileSync(controllersFile, next);
    await expect(inProject('serverless', 'deploy', ...STAGE)).rejects.toThrow(
      'CRD greetings.example.com in the cluster is older than this release: it lacks spec.end',
    );
    await inProject('evenkeel', 'cluster', 'add', 'east', '--kubeconfig', cluster.kubeconfig, ...STAGE, '--yes');
    await inProject('serverless', 'deploy', ...STAGE);
    await resyncUntil('throttled!');
    writeFileSync(controllersFile, source);
  });

  it('R-6.9 R-6.8 the version before runs again when it is deployed over the next one, with the new CRD', async () => {
    await inProject('serverless', 'deploy', ...STAGE);
    await resyncUntil('throttled');
    await edit('as before');
    await copyReads('as before');
  });

  it('R-6.9 R-6.8 removing it leaves neither an object of the cluster nor a part of the stack', async () => {
    const { metadata } = await connected.api.get(Greetings, PLACE);
    await connected.api.delete(Greetings, PLACE, { preconditions: { uid: metadata.uid } });
    await eventually(
      'end of the Greeting',
      async () => ((await find(Greetings)) === undefined ? true : undefined),
      LIMIT_MS,
    );
    await eventually(
      'end of its ConfigMap',
      async () => ((await find(ConfigMaps)) === undefined ? true : undefined),
      LIMIT_MS,
    );
    expect(await inProject('evenkeel', 'cluster', 'remove', 'east', ...STAGE, '--yes')).toContain(
      'done: delete parameter',
    );
    await expect(inProject('serverless', 'remove', ...STAGE)).rejects.toThrow(
      'cluster east: it has the Lease evenkeel-greeting',
    );
    // Until the Lease ends, minutes after the last pass, `uninstall` is refused.
    await inProject('evenkeel', 'cluster', 'remove', 'east', ...STAGE, '--forgo', '--yes');
    await inProject('serverless', 'remove', ...STAGE);
    const functions = await new AwsApi(emulator.url).rest('lambda', 'GET', '/2015-03-31/functions');
    expect(functions).not.toContain('evenkeel-emulator');
  });

  it('R-6.8 R-6.9 npm installs this release in a project of the release before', async () => {
    const old = join(folder, 'of-0.1');
    writeOldProject(old);
    await npm(old, 'install', '--package-lock-only', archive);
    expect(readFileSync(join(old, 'package.json'), 'utf8')).toContain(`"evenkeel": "file:`);
  });

  async function npm(cwd: string, ...args: string[]): Promise<void> {
    await run('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd });
  }

  /**
   * Runs a command of the project's own node_modules. @returns its whole output. @throws Error with the output when it
   * fails.
   */
  async function inProject(command: string, ...args: string[]): Promise<string> {
    const bin = join(project, 'node_modules', '.bin');
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      NO_COLOR: '1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: EMULATOR_REGION,
      AWS_ENDPOINT_URL: emulator.url,
    };
    try {
      const { stdout, stderr } = await run(join(bin, command), args, { cwd: project, env, maxBuffer: 64 << 20 });
      return `${stdout}${stderr}`;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
    }
  }

  async function find(type: ResourceType): Promise<KubeObject | undefined> {
    try {
      return await connected.api.get(type, PLACE);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Changes the text of the Greeting, like a user. */
  async function edit(text: string): Promise<void> {
    const patch = { spec: { message: text } };
    await connected.api.patch(Greetings, PLACE, { type: 'merge', patch }, { fieldManager: 'test' });
  }

  /** The messages on the events queue that no function has received. */
  async function waitingMessages(): Promise<number> {
    const { Attributes } = await new AwsApi(emulator.url).json<{ Attributes: Record<string, string> }>(
      'sqs',
      'AmazonSQS.GetQueueAttributes',
      {
        QueueUrl: `${emulator.url}/${EMULATOR_ACCOUNT}/evenkeel-${EMULATOR_STAGE}-greeting-events.fifo`,
        AttributeNames: ['ApproximateNumberOfMessages'],
      },
    );
    return Number(Attributes.ApproximateNumberOfMessages);
  }

  /** Runs resync, like the function's schedule, until the ConfigMap has the text. */
  async function resyncUntil(text: string): Promise<void> {
    await eventually(
      `ConfigMap with ${text}`,
      async () => {
        await new AwsApi(emulator.url).invoke(`evenkeel-${EMULATOR_STAGE}-resync`);
        return (await message()) === text ? true : undefined;
      },
      LIMIT_MS,
    );
  }

  async function message(): Promise<string | undefined> {
    return ((await find(ConfigMaps))?.data as { message?: string } | undefined)?.message;
  }

  async function copyReads(text: string): Promise<void> {
    await eventually(`ConfigMap with ${text}`, async () => ((await message()) === text ? true : undefined), LIMIT_MS);
  }
});
