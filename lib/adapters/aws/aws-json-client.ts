import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../ports/clock.ts';
import { awsFailure } from './aws-failure.ts';
import type { UndiciRequestHandler } from './undici-request-handler.ts';

type CredentialsProvider = Extract<NonNullable<DynamoDBClientConfig['credentials']>, (...args: never[]) => unknown>;

export interface AwsJsonClientOptions {
  /** The name in host names and signatures, e.g. `ssm`. */
  readonly service: string;
  /** The prefix of `X-Amz-Target`, e.g. `AmazonSSM`. */
  readonly target: string;
  readonly region: string;
  /** Replaces AWS' own endpoint. */
  readonly endpoint?: string;
  readonly credentials: CredentialsProvider;
  readonly requestHandler: UndiciRequestHandler;
  readonly userAgent: string;
  readonly clock: Clock;
}

const MAX_ATTEMPTS = 3;
const PAUSE_MS = 100;

/** AWS refused a request. It keeps AWS' name of the error, but not AWS' text. */
class AwsRefusal extends Error {
  readonly status: number;

  constructor(name: string, status: number) {
    super(`answered ${status}`);
    this.name = name;
    this.status = status;
  }
}

/**
 * Sends signed requests to an AWS service with JSON 1.1, without the service's own client. A function makes only two
 * such calls, rarely, and the client would be larger than the rest of the bundle.
 */
export class AwsJsonClient {
  readonly #options: AwsJsonClientOptions;
  readonly #endpoint: URL;
  readonly #signer: SignatureV4;

  constructor(options: AwsJsonClientOptions) {
    const { service, region, endpoint = defaultEndpoint(service, region), credentials } = options;
    this.#options = options;
    this.#endpoint = new URL(endpoint);
    this.#signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  }

  /**
   * For reads only, because a request without an answer, or a throttled one, is sent again.
   * @param resource the name for messages.
   * @returns the answer's body, as JSON.
   * @throws InfrastructureError; `data.error` is AWS' name of the error.
   */
  async call(operation: string, input: Readonly<Record<string, unknown>>, resource: string): Promise<unknown> {
    const { service, clock } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#send(operation, JSON.stringify(input));
      } catch (error) {
        const isFinal = error instanceof AwsRefusal && error.status < 500 && !/Throttl|TooMany/.test(error.name);
        if (isFinal || attempt === MAX_ATTEMPTS) throw awsFailure(service, operation, resource, error);
      }
      await clock.sleep(PAUSE_MS * 4 ** (attempt - 1));
    }
  }

  async #send(operation: string, body: string): Promise<unknown> {
    const { target, userAgent, requestHandler } = this.#options;
    const { protocol, hostname, port, host } = this.#endpoint;
    const request = new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      path: '/',
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `${target}.${operation}`,
        'user-agent': userAgent,
      },
      body,
    });
    const signed = await this.#signer.sign(request);
    const { response } = await requestHandler.handle(signed as HttpRequest);
    const answer = parseAnswer(response.body);
    if (response.statusCode === 200 && answer !== undefined) return answer;
    throw new AwsRefusal(refusalName(answer), response.statusCode);
  }
}

function defaultEndpoint(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function parseAnswer(body: unknown): unknown {
  try {
    return JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : String(body));
  } catch {
    return undefined;
  }
}

/** Reads the name of the error: `com.amazon...#ParameterNotFound` in `__type` of the body. */
function refusalName(answer: unknown): string {
  const type = typeof answer === 'object' && answer !== null ? (answer as { __type?: unknown }).__type : undefined;
  const name = typeof type === 'string' ? (type.split('#').at(-1) ?? '') : '';
  return /^[A-Za-z]{1,64}$/.test(name) ? name : 'UnreadableAnswer';
}
