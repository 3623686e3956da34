import { describe, expect, it } from 'vitest';
import { answerError } from '../../../lib/adapters/kubernetes/answer-error.ts';
import type { ApiCall } from '../../../lib/adapters/kubernetes/api-call.ts';
import type { ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { status, Widgets } from './kinds.ts';

const now = Date.UTC(2026, 10, 29, 12, 0, 0);
const get: ApiCall = { verb: 'GET', type: Widgets, namespace: 'shop', name: 'blue' };
const html = '<html><body>TEXT-OF-THE-SERVER</body></html>';
const itself = { name: 'blue', group: 'test.evenkeel.dev', kind: 'widgets' };

function errorOf(call: ApiCall, code: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return answerError(call, { status: code, headers, text }, now);
}

describe('the reason of an answer other than 2xx', () => {
  it.each<[number, string, Record<string, unknown>, ApiErrorReason]>([
    [400, 'BadRequest', {}, 'BadRequest'],
    [401, 'Unauthorized', {}, 'Unauthorized'],
    [403, 'Forbidden', itself, 'Forbidden'],
    [404, 'NotFound', itself, 'NotFound'],
    [404, 'NotFound', { ...itself, kind: 'Widget' }, 'NotFound'],
    [405, 'MethodNotAllowed', {}, 'BadRequest'],
    [406, 'NotAcceptable', {}, 'BadRequest'],
    [408, 'Timeout', {}, 'Timeout'],
    [409, 'AlreadyExists', itself, 'AlreadyExists'],
    [409, 'Conflict', itself, 'Conflict'],
    [410, 'Expired', {}, 'Expired'],
    [410, 'Gone', {}, 'Expired'],
    [413, 'RequestEntityTooLarge', {}, 'BadRequest'],
    [415, 'UnsupportedMediaType', {}, 'BadRequest'],
    [422, 'Invalid', itself, 'Invalid'],
    [429, 'TooManyRequests', {}, 'TooManyRequests'],
    [500, 'InternalError', {}, 'ServerError'],
    [503, 'ServiceUnavailable', {}, 'ServerError'],
    [504, 'Timeout', {}, 'Timeout'],
  ])('the reason of %i %s %j is %4$s', (code, reason, details, expected) => {
    expect(errorOf(get, code, status(code, reason, details))).toMatchObject({ reason: expected, status: code });
  });

  it.each<[string, ApiCall, unknown]>([
    ['names no object', get, status(404, 'NotFound')],
    ['names another object', get, status(404, 'NotFound', { ...itself, name: 'red' })],
    ['names another kind', get, status(404, 'NotFound', { ...itself, kind: 'gadgets' })],
    ['names another group', get, status(404, 'NotFound', { ...itself, group: 'other.dev' })],
    ['names the namespace of a read', get, status(404, 'NotFound', { name: 'shop', kind: 'namespaces' })],
    ['is about a list', { ...get, verb: 'LIST', name: '' }, status(404, 'NotFound', { kind: 'widgets' })],
    ['is the text of the path router', get, '404 page not found\n'],
  ])('R-1.17 a 404 that %s says that the kind is missing, never the object', (_, call, body) => {
    expect(errorOf(call, 404, body)).toMatchObject({ reason: 'KindMissing', status: 404 });
  });

  it.each([400, 401, 404, 408, 409, 410, 422, 429, 500, 504])(
    'R-3.11 R-1.17 a denial by a webhook is Forbidden when the webhook selected the code %i',
    (code) => {
      const message = 'admission webhook "w.example.com" denied the request: TEXT-OF-THE-SERVER';
      const error = errorOf(get, code, { ...status(code, 'AlreadyExists', itself), message });
      expect(error).toMatchObject({ reason: 'Forbidden', status: code, refusal: { policy: 'w.example.com' } });
    },
  );

  it('R-3.11 a refusal by quota is Forbidden when the API server answers it with code 500', () => {
    const message = 'insufficient quota to match these scopes: [{PriorityClass Exists []}]';
    const error = errorOf(get, 500, { ...status(500, ''), message });
    expect(error).toMatchObject({ reason: 'Forbidden', refusal: { by: 'quota' } });
  });

  it.each(['POST', 'PATCH'] as const)('a %s into a missing namespace is NotFound, and says so', (verb) => {
    const error = errorOf({ ...get, verb }, 404, status(404, 'NotFound', { name: 'shop', kind: 'namespaces' }));
    expect(error.reason).toBe('NotFound');
    expect(error.message).toBe(
      `${verb} widgets.test.evenkeel.dev shop/blue: 404 NotFound: the namespace shop does not exist`,
    );
  });

  it.each([301, 302, 307, 402, 403, 404, 409, 410, 418, 422])(
    'R-1.17 a page of a proxy with status %i does not count as an answer of the API',
    (code) => {
      expect(errorOf(get, code, html)).toMatchObject({ reason: 'Malformed', status: code });
    },
  );

  it.each<[number, ApiErrorReason]>([
    [401, 'Unauthorized'],
    [429, 'TooManyRequests'],
    [502, 'ServerError'],
    [504, 'Timeout'],
  ])('a page with status %i is still %s', (code, reason) => {
    expect(errorOf(get, code, html).reason).toBe(reason);
  });

  it('a truncated Status counts as no Status', () => {
    expect(errorOf(get, 403, JSON.stringify(status(403, 'Forbidden')).slice(0, -9)).reason).toBe('Malformed');
    expect(errorOf(get, 404, 'null').reason).toBe('Malformed');
    expect(errorOf(get, 404, '[]').reason).toBe('Malformed');
  });
});

describe('the message of an answer other than 2xx', () => {
  it('the message names the request and the answer', () => {
    const call: ApiCall = { ...get, verb: 'PATCH', subresource: 'status' };
    expect(errorOf(call, 409, status(409, 'Conflict', itself)).message).toBe(
      'PATCH widgets.test.evenkeel.dev/status shop/blue: 409 Conflict',
    );
    expect(errorOf({ ...get, verb: 'LIST', name: '', namespace: '' }, 403, status(403, 'Forbidden')).message).toBe(
      'LIST widgets.test.evenkeel.dev: 403 Forbidden',
    );
  });

  it('R-6.4 the message says what to do when that is known', () => {
    expect(errorOf(get, 404, '404 page not found').message).toMatch(
      /does not serve .*test\.evenkeel\.dev\/v1\. Install its CRD/,
    );
    expect(errorOf(get, 401, '').message).toMatch(/Renew/);
    expect(errorOf(get, 302, '').message).toMatch(/redirects are not followed\. Check the address/);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 429, 500, 302])(
    'R-1.24 the message with status %i contains nothing that the server wrote',
    (code) => {
      for (const body of [html, status(code, 'TEXT-OF-THE-SERVER', { causes: [{ message: 'TEXT-OF-THE-SERVER' }] })]) {
        const error = errorOf(get, code, body);
        expect(JSON.stringify([error.message, error.stack, error.data, error.cause])).not.toContain(
          'TEXT-OF-THE-SERVER',
        );
      }
    },
  );
});

describe('R-5.14 the wait that an answer asks for', () => {
  it('the delay is that of the header, in seconds or as a date', () => {
    expect(errorOf(get, 429, '', { 'retry-after': '3' }).retryAfterMs).toBe(3_000);
    expect(errorOf(get, 503, '', { 'retry-after': 'Sun, 29 Nov 2026 12:00:07 GMT' }).retryAfterMs).toBe(7_000);
  });

  it('the delay is that of the Status when there is no header, and absent when neither has one', () => {
    expect(errorOf(get, 429, status(429, 'TooManyRequests', { retryAfterSeconds: 2 })).retryAfterMs).toBe(2_000);
    expect(errorOf(get, 500, status(500, 'InternalError')).retryAfterMs).toBeUndefined();
  });
});
