import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AwsJsonClient } from '../../../lib/adapters/aws/aws-json-client.ts';
import { SecretsManagerStore } from '../../../lib/adapters/aws/secrets-manager-store.ts';
import { SsmParameterStore } from '../../../lib/adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../../../lib/adapters/aws/undici-request-handler.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { LOCAL_CREDENTIALS } from '../../support/emulators/local-account.ts';
import { serve, type TestServer } from '../kubernetes/http-server.ts';

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

async function setUp(...answers: Answer[]) {
  const bodies: string[] = [];
  const server: TestServer = await serve(async (request: IncomingMessage, response: ServerResponse, count: number) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    const { status = 200, body: answer } = answers[Math.min(count, answers.length) - 1] ?? { body: {} };
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const clock = new ManualClock();
  const client = new AwsJsonClient({
    service: 'ssm',
    target: 'AmazonSSM',
    region: 'eu-central-1',
    endpoint: server.url,
    credentials: async () => LOCAL_CREDENTIALS,
    requestHandler: new UndiciRequestHandler({ maxSockets: 2, connectTimeoutMs: 2_000, requestTimeoutMs: 4_000 }),
    userAgent: 'evenkeel/1 app/test',
    clock,
  });
  const call = () => client.call('GetIt', { Path: '/a' }, '/a');
  return { server, bodies, clock, client, call };
}

/** Advances the clock until the call settles, however often it waits. */
async function settled<Value>(clock: ManualClock, running: Promise<Value>): Promise<Value> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  running.then(end, end);
  while (!ended) {
    if (clock.sleeping > 0) await clock.advance(10_000);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return await running;
}

describe('AwsJsonClient', () => {
  it('R-5.12 the client signs its requests and names itself', async () => {
    const { server, bodies, call } = await setUp({ body: { A: 1 } });
    expect(await call()).toEqual({ A: 1 });
    expect(server.requests[0]?.headers).toMatchObject({
      'x-amz-target': 'AmazonSSM.GetIt',
      'content-type': 'application/x-amz-json-1.1',
      'user-agent': 'evenkeel/1 app/test',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=.*\/eu-central-1\/ssm\/aws4_request, SignedHeaders=.*host.*x-amz-target/,
      ),
    });
    expect(bodies).toEqual(['{"Path":"/a"}']);
  });

  it.each([
    [{ status: 500, body: {} }],
    [{ status: 400, body: { __type: 'com.amazonaws#ThrottlingException' } }],
    [{ status: 200, body: 'no JSON' }],
  ])('R-5.7 the client sends the request again when the answer is %j', async (first) => {
    const { server, clock, call } = await setUp(first, { body: { A: 1 } });
    if (first.status === 200) await expect(settled(clock, call())).rejects.toThrow('UnreadableAnswer');
    else {
      expect(await settled(clock, call())).toEqual({ A: 1 });
      expect(server.requests).toHaveLength(2);
    }
  });

  it('R-1.24 the client reports a refusal at once, only by its name', async () => {
    const body = { __type: 'com.amazonaws#AccessDeniedException', message: 'hunter2' };
    const { server, call } = await setUp({ status: 400, body });
    const failure = await call().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'INFRASTRUCTURE',
      data: { error: 'AccessDeniedException', resource: '/a' },
      message: expect.stringContaining('permissions of its role'),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('hunter2');
    expect(server.requests).toHaveLength(1);
  });

  it('R-5.7 the client gives up after three unusable answers', async () => {
    const { server, clock, call } = await setUp({ status: 503, body: 'down' });
    await expect(settled(clock, call())).rejects.toThrow('ssm GetIt on /a failed');
    expect(server.requests).toHaveLength(3);
  });
});

describe('SsmParameterStore', () => {
  it('R-6.4 the store reads all pages of the parameters directly below a path', async () => {
    const page = (Name: string, NextToken?: string) => ({ body: { Parameters: [{ Name, Value: 'v' }], NextToken } });
    const { client, bodies } = await setUp(page('/a/1', 'more'), page('/a/2'));
    expect(await new SsmParameterStore(client).list('/a')).toEqual([
      { name: '/a/1', value: 'v' },
      { name: '/a/2', value: 'v' },
    ]);
    expect(bodies.map((body) => JSON.parse(body) as object)).toEqual([
      { Path: '/a', Recursive: false },
      { Path: '/a', Recursive: false, NextToken: 'more' },
    ]);
  });

  it('R-6.4 the store throws an error when the answer is not a page', async () => {
    const { client } = await setUp({ body: { Parameters: 'x' } });
    await expect(new SsmParameterStore(client).list('/a')).rejects.toThrow(
      'SSM answered for /a with something that is no page',
    );
  });
});

describe('SecretsManagerStore', () => {
  it('R-6.4 the store reads a secret by its name; a missing one is undefined', async () => {
    const { client, bodies } = await setUp(
      { body: { SecretString: 'tops' } },
      { status: 400, body: { __type: 'ResourceNotFoundException' } },
    );
    const store = new SecretsManagerStore(client);
    expect([await store.read('a'), await store.read('b')]).toEqual(['tops', undefined]);
    expect(bodies[0]).toBe('{"SecretId":"a"}');
  });

  it('R-1.24 the error does not contain the answer when it cannot be read', async () => {
    const { client } = await setUp({ body: { SecretString: { hunter2: 1 } } });
    const failure = await new SecretsManagerStore(client).read('a').catch((error: unknown) => error);
    expect(String(failure)).toContain('Secrets Manager answered for a with something unreadable');
    expect(JSON.stringify(failure)).not.toContain('hunter2');
  });
});
