import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PRICES } from '../../../bench/cost-model.ts';
import { Invocation } from '../../../cli/command.ts';
import type { DeadLetterView, ObjectPage, ObjectView, Overview } from '../../../cli/console/api-types.ts';
import { consoleSource } from '../../../cli/console/console-source.ts';
import type { Inspection } from '../../../cli/inspection/inspection.ts';
import { openInspection } from '../../../cli/wiring.ts';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { countCosts } from '../../../lib/adapters/aws/request-costs.ts';
import { SqsFifoQueue } from '../../../lib/adapters/aws/sqs-fifo-queue.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { TABLE_SHARDS } from '../../../lib/deployment/installation/resource-names.ts';
import { connectEmulators, type EmulatedStack, startEmulatedStack } from '../../support/emulators/emulated-stack.ts';
import { LOCAL_REGION, localCredentials } from '../../support/emulators/local-account.ts';
import { takeLease } from '../../support/take-lease.ts';
import { apiClient } from './api-client.ts';

const STAGE = 'prod';
const KIND = 'secretcontracts.evenkeel.dev';
const QUEUE = 'evenkeel-prod-secret-contract-events-dead';

let folder: string;
let cloud: EmulatedStack;
let inspection: Inspection;
/** The adapters of the deployed functions. */
let deployed: ReturnType<typeof connectEmulators>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-console-stage-'));
  writeFileSync(join(folder, 'settings.yaml'), 'cluster: east\n');
  cloud = await startEmulatedStack({ groups: ['secret-contract'], visibilityMs: 60_000, stage: STAGE });
  for (const name of ['AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_REGION', LOCAL_REGION);
  vi.stubEnv('AWS_ACCESS_KEY_ID', cloud.token);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', cloud.table.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', cloud.queue.endpoint);
  deployed = connectEmulators(cloud);
  const nowMs = Date.now();
  await deployed.store.holdRelay('east', 'relay-1', nowMs, nowMs + 60_000);
  const target = { cluster: 'east', kind: KIND, uid: 'u-1', namespace: 'default', name: 'web' };
  const times = { nowMs, leaseUntilMs: nowMs + 30_000, latestUntilMs: nowMs + 34_000 };
  await takeLease(deployed.store, { target, ownAddress: true, owner: 'worker-1', attempt: 'a-1', ...times });
  const options = { stage: STAGE, settings: join(folder, 'settings.yaml'), cluster: 'east' };
  inspection = await openInspection(new Invocation([], new Map(Object.entries(options))));
});

afterAll(async () => {
  await inspection?.[Symbol.asyncDispose]();
  deployed.close();
  await cloud.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('the console of a cloud stage', () => {
  it('R-6.10 the console shows the objects, queues and relay of the stage by the AWS settings of the user', async () => {
    const client = apiClient(consoleSource(inspection, false));
    const overview = await client.get<Overview>('overview');
    expect(overview).toMatchObject({
      stage: STAGE,
      cluster: 'east',
      refreshMs: expect.any(Number),
      deadLetters: 0,
      clusterState: { relay: { owner: 'relay-1' } },
      backlog: [
        { queue: 'secret-contract events', count: 0 },
        { queue: 'secret-contract resync', count: 0 },
      ],
    });
    expect(overview.kinds.find(({ kindId }) => kindId === KIND)).toMatchObject({ total: 1, counts: { running: 1 } });
    const list = await client.get<ObjectPage>('objects', { state: 'running' });
    expect(list.rows).toMatchObject([{ namespace: 'default', name: 'web', uid: 'u-1' }]);
    const object = await client.get<ObjectView>('object', { kind: KIND, namespace: 'default', name: 'web' });
    expect(object.explanation).toMatchObject({ uid: 'u-1', lease: { owner: 'worker-1' } });
  });

  it('R-6.10 a requeue and a redrive from the console reach the queues of the stage', async () => {
    const client = apiClient(consoleSource(inspection, false));
    const queues = deployed.queues['secret-contract'];
    if (queues === undefined) throw new Error('the stage has no queues');
    await queues.events.sendDead({ body: 'no JSON', messageGroupId: 'g', messageId: 'm-1', reason: 'NotJson' });
    expect((await client.get<DeadLetterView>('dead-letters', { text: 'notjson' })).selected).toBe(1);
    const redrive = { action: 'redrive', filter: { text: 'notjson' }, limit: 1, perSecond: 20 };
    expect((await client.post('bulk-start', redrive)).status).toBe(200);
    await vi.waitUntil(async () => JSON.stringify(await client.get('bulk')).includes('"ended"'), { timeout: 30_000 });
    expect((await client.post('requeue', { kind: KIND, namespace: 'default', name: 'web' })).status).toBe(200);
    const received = await queues.events.receive({ maxMessages: 10, waitSeconds: 1, visibilitySeconds: 60 });
    const bodies = received.map(({ body }) => body);
    expect(bodies[0]).toBe('no JSON');
    expect(JSON.parse(bodies[1] ?? '{}')).toMatchObject({ cause: 'requested', uid: 'u-1', by: inspection.by });
    expect((await client.get<DeadLetterView>('dead-letters')).queues.find(({ name }) => name === QUEUE)?.count).toBe(0);
  });

  it('R-6.10 the costs of a console count each unit that the table charges and each request to a queue', async () => {
    const clients = createAwsClients({
      region: LOCAL_REGION,
      credentials: localCredentials(cloud.token),
      endpoints: { dynamodb: cloud.table.endpoint, sqs: cloud.queue.endpoint },
      maxSockets: 4,
    });
    const spent = countCosts(clients);
    const [clock, client] = [new SystemClock(), clients.dynamodb];
    const store = new DynamoDbStateStore({ client, tableName: cloud.table.name, shards: TABLE_SHARDS, clock });
    const inMillionths = () => Math.round(spent() * 1e12) / 1e6;
    await store.readCluster('east');
    expect(inMillionths()).toBe(PRICES.tableRead);
    // The emulator charges nothing for a query that finds no item.
    for (let shard = 0; shard < TABLE_SHARDS; shard += 1) await store.inventory('east', KIND, shard);
    expect(inMillionths()).toBe(2 * PRICES.tableRead);
    await store.setPaused('east', false);
    expect(inMillionths()).toBe(2 * PRICES.tableRead);
    const urls = cloud.queue.groups['secret-contract']?.events;
    if (urls === undefined) throw new Error('the stage has no queues');
    await new SqsFifoQueue({ client: clients.sqs, clock, ...urls }).waiting();
    expect(inMillionths()).toBe(2 * PRICES.tableRead + PRICES.fifoRequest);
    clients.close();
  });
});
