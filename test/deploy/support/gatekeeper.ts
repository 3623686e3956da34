import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { type AwsCall, awsCall } from './aws-call.ts';
import { covers, type Grant } from './iam-policy.ts';

/** An answered call. */
export interface RecordedCall extends AwsCall {
  /** The key of the function in serverless.yml. */
  readonly functionKey: string;
  readonly status: number;
  /** The condition of the write did not hold, so it wrote nothing. */
  readonly refused: boolean;
  /** The write added, changed or removed a timer in the index. */
  readonly movedDeadline: boolean;
}

/**
 * A proxy between functions and the emulator of AWS, because the emulator checks no permissions. Refuses what a
 * function's role does not allow, like AWS, and records every call with the grant that allowed it.
 */
export class Gatekeeper implements AsyncDisposable {
  readonly calls: RecordedCall[] = [];
  readonly denied: AwsCall[] = [];
  private readonly used = new Set<string>();
  private readonly functions = new Map<string, { readonly applicationId: string; readonly grants: readonly Grant[] }>();
  private readonly deadlines = new Map<string, string | undefined>();
  private readonly upstream: string;
  private readonly connections = new Agent({ connections: 64, pipelining: 1 });
  private readonly server: Server;
  private constructor(server: Server, upstream: string) {
    this.server = server;
    this.upstream = upstream;
  }

  static async start(upstream: string): Promise<Gatekeeper> {
    const server = createServer();
    const gatekeeper = new Gatekeeper(server, upstream);
    server.on('request', (request, response) => {
      gatekeeper.handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return gatekeeper;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Allows the function these actions, and no others, from now on. @param applicationId the name in its requests. */
  allow(functionKey: string, applicationId: string, grants: readonly Grant[]): void {
    this.functions.set(functionKey, { applicationId, grants });
  }

  /** The grants of a function that it has not used since the gatekeeper started. */
  unused(functionKey: string): Grant[] {
    return (this.functions.get(functionKey)?.grants ?? []).filter((grant) => !this.used.has(useOf(functionKey, grant)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.connections.destroy();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = awsCall(request.headers, body.toString('utf8'));
    if (call !== undefined && !this.isAllowed(call)) {
      this.denied.push(call);
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: 'com.amazonaws#AccessDeniedException', message: 'denied by the role' }));
      return;
    }
    const answer = await this.connections.request({
      origin: this.upstream,
      path: request.url ?? '/',
      method: (request.method ?? 'POST') as 'POST',
      headers: withoutHop(request.headers),
      body,
    });
    const text = Buffer.from(await answer.body.arrayBuffer());
    if (call !== undefined) this.record(call, answer.statusCode, text);
    response.writeHead(answer.statusCode, withoutHop(answer.headers));
    response.end(text);
  }

  private isAllowed(call: AwsCall): boolean {
    const key = this.functionKey(call);
    const grants = this.functions.get(key)?.grants ?? [];
    return call.resources.every((resource) => {
      const grant = grants.find((known) => covers(known, call.action, resource, call.keys));
      if (grant !== undefined) this.used.add(useOf(key, grant));
      return grant !== undefined;
    });
  }

  /** The function's key from the user agent; '' for any other client. */
  private functionKey({ userAgent }: AwsCall): string {
    const named = (id: string) => new RegExp(`\\bapp/${id}(?=[/-]PT|\\s|$)`).test(userAgent);
    return [...this.functions].find(([, { applicationId }]) => named(applicationId))?.[0] ?? '';
  }

  private record(call: AwsCall, status: number, text: Buffer): void {
    const refused = status === 400 && text.includes('ConditionalCheckFailedException');
    const functionKey = this.functionKey(call);
    this.calls.push({
      ...call,
      functionKey,
      status,
      refused,
      movedDeadline: status === 200 && this.movesDeadline(call),
    });
  }

  /** The index over timers is written when the timer of an item is added, changed or removed. */
  private movesDeadline({ action, input }: AwsCall): boolean {
    if (action !== 'dynamodb:UpdateItem' && action !== 'dynamodb:DeleteItem') return false;
    const key = JSON.stringify(input.Key);
    const before = this.deadlines.get(key);
    const update = String(input.UpdateExpression ?? '');
    const values = (input.ExpressionAttributeValues ?? {}) as Record<string, { N?: string }>;
    if (action === 'dynamodb:DeleteItem' || /REMOVE.*\bdueAt\b/.test(update)) {
      this.deadlines.delete(key);
      return before !== undefined;
    }
    if (!/\bdueAt = :dueAt\b/.test(update)) return false;
    const after = values[':dueAt']?.N;
    this.deadlines.set(key, after);
    return after !== before;
  }
}

function useOf(functionKey: string, { action, resource }: Grant): string {
  return `${functionKey}: ${action} on ${resource}`;
}

function withoutHop(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined &&
      !['connection', 'transfer-encoding', 'keep-alive', 'host', 'content-length'].includes(entry[0]),
  );
  return Object.fromEntries(kept);
}
