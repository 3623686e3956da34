import { isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { parseDuration } from '../duration.ts';
import { hasFormat } from '../formats.ts';
import { parseQuantity, Quantity } from './quantity.ts';
import { KubernetesUrl, parseUrl } from './url.ts';

const QUANTITY = 'kubernetes.Quantity';
const URL_TYPE = 'kubernetes.URL';
const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';

function quantityOf(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return quantity;
  throw new RangeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function urlOf(text: string): KubernetesUrl {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new RangeError(
    `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
  );
}

/** A duration in nanoseconds. */
export function celDuration(nanos: bigint): Duration {
  return new Duration(nanos / 1_000_000_000n, Number(nanos % 1_000_000_000n));
}

function durationOf(text: string): Duration {
  const nanos = parseDuration(text);
  if (nanos !== undefined) return celDuration(nanos);
  throw new RangeError("type conversion error from 'string' to 'google.protobuf.Duration'");
}

/** Registers quantities, URLs, and the conversions of time that the language lacks. */
export function registerValues(environment: Environment): void {
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  environment.registerType(QUANTITY, Quantity);
  register(`quantity(string): ${QUANTITY}`, quantityOf);
  register('isQuantity(string): bool', (text: string) => parseQuantity(text) !== undefined);
  register(`${QUANTITY}.isLessThan(${QUANTITY}): bool`, (left: Quantity, right: Quantity) => left.nanos < right.nanos);
  register(
    `${QUANTITY}.isGreaterThan(${QUANTITY}): bool`,
    (left: Quantity, right: Quantity) => left.nanos > right.nanos,
  );
  register(`${QUANTITY}.compareTo(${QUANTITY}): int`, (left: Quantity, right: Quantity) => left.compareTo(right));
  register(`${QUANTITY}.isInteger(): bool`, (quantity: Quantity) => quantity.isInteger());
  register(`${QUANTITY}.asInteger(): int`, (quantity: Quantity) => quantity.asInteger());
  register(`${QUANTITY}.asApproximateFloat(): double`, (quantity: Quantity) => quantity.asApproximateFloat());
  for (const [name, factor] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    register(
      `${QUANTITY}.${name}(${QUANTITY}): ${QUANTITY}`,
      (left: Quantity, right: Quantity) => new Quantity(left.nanos + factor * right.nanos),
    );
    register(
      `${QUANTITY}.${name}(int): ${QUANTITY}`,
      (left: Quantity, right: bigint) => new Quantity(left.nanos + factor * right * 10n ** 9n),
    );
  }
  environment.registerOperator(
    `${QUANTITY} == ${QUANTITY}`,
    (left: Quantity, right: Quantity) => left.nanos === right.nanos,
  );

  environment.registerType(URL_TYPE, KubernetesUrl);
  register(`url(string): ${URL_TYPE}`, urlOf);
  environment.registerOperator(
    `${URL_TYPE} == ${URL_TYPE}`,
    (left: KubernetesUrl, right: KubernetesUrl) => left.text === right.text,
  );
  register('isURL(string): bool', (text: string) => parseUrl(text) !== undefined);
  register(`${URL_TYPE}.getScheme(): string`, (url: KubernetesUrl) => url.scheme);
  register(`${URL_TYPE}.getHost(): string`, (url: KubernetesUrl) => url.host);
  register(`${URL_TYPE}.getHostname(): string`, (url: KubernetesUrl) => url.hostname);
  register(`${URL_TYPE}.getPort(): string`, (url: KubernetesUrl) => url.port);
  register(`${URL_TYPE}.getEscapedPath(): string`, (url: KubernetesUrl) => url.escapedPath);
  register(`${URL_TYPE}.getQuery(): map<string, list<string>>`, (url: KubernetesUrl) => url.query);

  register('isIP(string): bool', (text: string) => isIP(text) !== 0);
  register('isCIDR(string): bool', (text: string) => hasFormat(text, 'cidr'));

  register(`goDuration(string): ${DURATION}`, durationOf);
  register(`string(${TIMESTAMP}): string`, (time: Date) => time.toISOString().replace(/\.000Z$/, 'Z'));
  register(`int(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
  register(`string(${DURATION}): string`, (duration: { valueOf(): number }) => `${duration.valueOf() / 1000}s`);
}
