import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { EMULATOR_REGION } from './emulator.ts';

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An operator's signed requests, sent to the emulator. */
export class AwsApi {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** A call of a JSON service. @param target e.g. `AmazonSSM.PutParameter`. */
  async json<Answer = Record<string, unknown>>(service: string, target: string, input: object): Promise<Answer> {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
    return JSON.parse(await this.send(service, 'POST', '/', headers, JSON.stringify(input))) as Answer;
  }

  /** A call to a service that accepts forms and returns XML. */
  async query(service: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return await this.send(service, 'POST', '/', headers, new URLSearchParams(parameters).toString());
  }

  /** A call of a REST service. */
  async rest(
    service: string,
    method: Method,
    path: string,
    headers: Record<string, string> = {},
    body: string | Uint8Array<ArrayBuffer> = '',
  ) {
    return await this.send(service, method, path, headers, body);
  }

  /** Invokes a function. Waits until it ends, or, with `Event`, only until AWS accepted the call. */
  async invoke(functionName: string, type: 'RequestResponse' | 'Event' = 'RequestResponse'): Promise<string> {
    const path = `/2015-03-31/functions/${functionName}/invocations`;
    return await this.rest('lambda', 'POST', path, { 'x-amz-invocation-type': type }, '{}');
  }

  private async send(
    service: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const { protocol, hostname, port, host } = new URL(this.url);
    const signer = new SignatureV4({ service, region: EMULATOR_REGION, credentials: CREDENTIALS, sha256: Sha256 });
    const request = new HttpRequest({
      method,
      protocol,
      hostname,
      port: Number(port),
      path,
      headers: { host, ...headers },
      body,
    });
    const signed = await signer.sign(request);
    const { host: _, ...sent } = signed.headers;
    const response = await fetch(this.url + path, { method, headers: sent, ...(method !== 'GET' && { body }) });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${service} ${headers['x-amz-target'] ?? path} was answered ${response.status}: ${text}`);
    return text;
  }
}
