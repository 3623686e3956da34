import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Record<string, unknown>;

/**
 * A proxy for an emulated table that does not know `ReturnValuesOnConditionCheckFailure`: it adds the item to the
 * answer of a refused update that asks for it, as DynamoDB does.
 * @param endpoint the endpoint of the emulator.
 */
export async function startOldItemProxy(endpoint: string): Promise<{ endpoint: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const body = Buffer.concat(chunks).toString('utf8');
    const answer = await send(endpoint, request.headers, body);
    const text = await withItem(endpoint, request.headers, body, answer);
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function withItem(endpoint: string, headers: IncomingHttpHeaders, body: string, answer: Answer): Promise<string> {
  const asked = JSON.parse(body) as Body;
  const answered = JSON.parse(answer.text) as Body;
  const isAsked = asked.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  if (!isAsked || !String(answered.__type).endsWith('#ConditionalCheckFailedException')) return answer.text;
  const read = JSON.stringify({ TableName: asked.TableName, Key: asked.Key, ConsistentRead: true });
  const target = 'DynamoDB_20120810.GetItem';
  const { Item } = JSON.parse((await send(endpoint, { ...headers, 'x-amz-target': target }, read)).text) as Body;
  return JSON.stringify({ ...answered, Item });
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(endpoint: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const passed = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'].map((name) => [name, headers[name]]);
  const response = await fetch(endpoint, { method: 'POST', headers: Object.fromEntries(passed), body });
  return { status: response.status, text: await response.text() };
}
