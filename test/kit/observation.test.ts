import { describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../lib/core/errors.ts';
import { ConfigMaps } from '../../lib/core/resource-type.ts';
import {
  firstFailure,
  foundValue,
  isUnread,
  knownValue,
  observe,
  observeAgain,
  observeObject,
} from '../../lib/kit/observation.ts';
import { ApiError, type ApiErrorReason } from '../../lib/ports/cluster-api.ts';
import { IdentityError, isIdentityError } from '../../lib/ports/identity-provider.ts';
import { KitContext } from './kit-context.ts';

const NAME = { namespace: 'app', name: 'config' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...NAME, uid: 'uid', resourceVersion: '1' } };

const refused = (reason: ApiErrorReason) => () => Promise.reject(new ApiError(reason, 'the server said so'));

describe('observing', () => {
  it('R-1.17 observe returns what was read when the read succeeds', async () => {
    expect(await observe(async () => 7)).toEqual({ type: 'found', value: 7 });
    expect(await observe(async () => undefined)).toEqual({ type: 'absent' });
    expect(await observe(async () => [])).toEqual({ type: 'found', value: [] });
  });

  it.each<[ApiErrorReason, string]>([
    ['Forbidden', 'denied'],
    ['Timeout', 'failed'],
    ['Unauthorized', 'failed'],
    ['Malformed', 'failed'],
    ['TooManyRequests', 'failed'],
  ])('R-1.17 observe keeps the error when the API server answers %s: %s', async (reason, type) => {
    const seen = await observe(refused(reason));
    expect(seen).toMatchObject({ type, error: { reason } });
  });

  it('R-1.17 observe proves no absence when the kind is not served', async () => {
    expect(await observe(refused('KindMissing'))).toMatchObject({ type: 'failed' });
  });

  it.each([new LeaseLostError('taken over'), new TypeError('a fault of ours'), new IdentityError('Forbidden', 'no')])(
    'R-1.12 observe throws an error that is not a failure of the read: %s',
    async (error) => {
      await expect(observe(() => Promise.reject(error))).rejects.toBe(error);
    },
  );

  it('observe takes the errors of another client when it is told which they are', async () => {
    const isFailure = (error: unknown): error is IdentityError => isIdentityError(error);
    const denied = await observe(() => Promise.reject(new IdentityError('Forbidden', 'no')), isFailure);
    expect(denied.type).toBe('denied');
    const failed = await observe(() => Promise.reject(new IdentityError('Timeout', 'no')), isFailure);
    expect(failed.type).toBe('failed');
    const error = new ApiError('Timeout', 'no answer');
    await expect(observe(() => Promise.reject(error), isFailure)).rejects.toBe(error);
  });

  it('observeObject reads once for the attempt, and observeAgain reads live', async () => {
    const context = new KitContext();
    context.put(OBJECT);
    expect(await observeObject(context.whole, ConfigMaps, NAME)).toEqual({ type: 'found', value: OBJECT });
    expect(await observeAgain(context.whole, ConfigMaps, { ...NAME, name: 'other' })).toEqual({ type: 'absent' });
    expect(context.calls).toEqual(['get app/config', 'getAgain app/other']);
  });
});

describe('what an observation says', () => {
  const error = new ApiError('Timeout', 'no answer');
  const other = new ApiError('Forbidden', 'no');
  const found = { type: 'found', value: 1 } as const;
  const absent = { type: 'absent' } as const;
  const failed = { type: 'failed', error } as const;
  const denied = { type: 'denied', error: other } as const;

  it('R-1.17 isUnread is true for denials and failures alone', () => {
    expect([found, absent, failed, denied].map((each) => isUnread(each))).toEqual([false, false, true, true]);
  });

  it('foundValue is undefined for everything that was not found', () => {
    expect([found, absent, failed, denied].map((each) => foundValue(each))).toEqual([
      1,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('R-1.17 knownValue throws the error of the read when nothing is known', () => {
    expect([found, absent].map((each) => knownValue(each))).toEqual([1, undefined]);
    expect(() => knownValue(failed)).toThrow(error);
    expect(() => knownValue(denied)).toThrow(other);
  });

  it('firstFailure returns the first error in their order, and none when all is known', () => {
    expect(firstFailure([found, undefined, denied, failed])).toBe(other);
    expect(firstFailure([failed, denied])).toBe(error);
    expect(firstFailure([found, undefined, absent])).toBeUndefined();
  });
});
