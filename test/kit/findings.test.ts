import { describe, expect, it } from 'vitest';
import {
  failureCondition,
  listedNames,
  refusedCondition,
  unreadCondition,
  unreadReason,
} from '../../lib/kit/failure-conditions.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';
import { IdentityError } from '../../lib/ports/identity-provider.ts';

const timedOut = new ApiError('Timeout', 'raw server text');
const forbidden = new ApiError('Forbidden', 'raw server text');

describe('a read that was denied or failed', () => {
  it('R-1.22 unreadReason says who must permit it when the read was denied', () => {
    expect(unreadReason('Host', { type: 'denied', error: forbidden })).toEqual({
      reason: 'HostAccessDenied',
      message: 'Reading it is forbidden to evenkeel: permit it by RBAC.',
    });
  });

  it('R-1.22 unreadReason says that it is tried again when the read failed', () => {
    expect(unreadReason('Secret', { type: 'failed', error: timedOut }, 'the Secret')).toEqual({
      reason: 'SecretReadFailed',
      message: 'The Secret could not be read; it is tried again.',
    });
  });

  it('R-1.22 R-1.24 unreadCondition is Unknown and holds no text of the server', () => {
    const finding = unreadCondition('HostReady', 'Host', { type: 'failed', error: timedOut });
    expect(finding).toMatchObject({ type: 'HostReady', status: 'Unknown', reason: 'HostReadFailed' });
    expect(JSON.stringify(finding)).not.toContain('raw server text');
  });
});

describe('a request that did not succeed', () => {
  const quota = new ApiError('Forbidden', 'no', { refusal: { by: 'quota' } });
  const invalid = new ApiError('Invalid', 'no', { refusal: { by: 'validation', faults: [] } });

  it.each([
    ['Unknown when RBAC forbids it', forbidden, 'Unknown', 'AccessDenied'],
    ['False when a quota refuses it', quota, 'False', 'QuotaExceeded'],
    ['False when validation refuses it', invalid, 'False', 'ValidationFailed'],
  ])('R-3.11 refusedCondition is %s', (_, error, status, reason) => {
    const finding = refusedCondition('Applied', 'Making the Service', error);
    expect(finding).toMatchObject({ type: 'Applied', status, reason });
    expect(finding?.message).toMatch(/^Making the Service is (forbidden|refused)/);
    expect(failureCondition('Applied', 'Making the Service', error)).toEqual(finding);
  });

  it('refusedCondition returns nothing when the request failed', () => {
    expect(refusedCondition('Applied', 'Making the Service', timedOut)).toBeUndefined();
  });

  it.each([
    ['False when the kind is not served', new ApiError('KindMissing', 'no'), 'False', 'KindNotInstalled'],
    ['Unknown when there is no answer', timedOut, 'Unknown', 'RequestFailed'],
    ['Unknown when another client fails', new IdentityError('Forbidden', 'no'), 'Unknown', 'RequestFailed'],
  ])('R-3.11 failureCondition is %s', (_, error, status, reason) => {
    expect(failureCondition('Applied', 'Making it', error)).toMatchObject({ status, reason });
  });
});

describe('names in a message', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b, c'],
    [['c', 'a', 'b', 'd', 'e'], 'c, a, b and 2 more'],
    [['x'.repeat(81)], `${'x'.repeat(77)}...`],
    [['x'.repeat(80)], 'x'.repeat(80)],
  ])('listedNames shows three of %j', (names, text) => {
    expect(listedNames(names)).toBe(text);
  });

  it('listedNames cuts names at the given length', () => {
    expect(listedNames(['abcdefghij', 'short'], 8)).toBe('abcde..., short');
  });
});
