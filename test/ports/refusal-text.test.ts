import { describe, expect, it } from 'vitest';
import { ApiError, type FieldFault, type Refusal } from '../../lib/ports/cluster-api.ts';
import { refusalText } from '../../lib/ports/refusal-text.ts';

const refused = (refusal: Refusal) => new ApiError('Forbidden', 'the text of the server', { refusal });
const invalid = (...faults: FieldFault[]) =>
  new ApiError('Invalid', 'the text of the server', { refusal: { by: 'validation', faults } });
const required = (field: string): FieldFault => ({ field, reason: 'FieldValueRequired' });

describe('refusalText', () => {
  it.each<[string, ApiError, string, string]>([
    [
      'a quota',
      refused({ by: 'quota' }),
      'QuotaExceeded',
      'Making the Pod is refused by quota: a ResourceQuota of the namespace is used up, is missing, or asks for requests or limits that are not set. It is tried again.',
    ],
    [
      'a limit range',
      refused({ by: 'admission', policy: 'LimitRange' }),
      'AdmissionDenied',
      'Making the Pod is refused by the admission policy LimitRange. It is tried again.',
    ],
    [
      'an admission plugin without a name',
      refused({ by: 'admission', policy: undefined }),
      'AdmissionDenied',
      'Making the Pod is refused by an admission policy. It is tried again.',
    ],
    [
      'the end of the namespace',
      refused({ by: 'termination' }),
      'NamespaceTerminating',
      'Making the Pod is refused: the namespace is being deleted. It is tried again.',
    ],
    [
      'RBAC',
      refused({ by: 'authorization' }),
      'AccessDenied',
      'Making the Pod is forbidden to evenkeel: permit it by RBAC.',
    ],
    [
      'something that the answer does not show',
      new ApiError('Forbidden', 'the text of the server'),
      'AccessDenied',
      'Making the Pod is forbidden to evenkeel: permit it by RBAC.',
    ],
    [
      'validation of one field',
      invalid(required('spec.containers[0].image')),
      'ValidationFailed',
      'Making the Pod is refused: the API server does not accept spec.containers[0].image (FieldValueRequired). It is tried again.',
    ],
    [
      'validation of three fields, one without a kind',
      invalid(required('spec.a'), { field: 'spec.b', reason: '' }, required('spec.c')),
      'ValidationFailed',
      'Making the Pod is refused: the API server does not accept spec.a (FieldValueRequired), spec.b, spec.c (FieldValueRequired). It is tried again.',
    ],
    [
      'validation of five fields',
      invalid(...['spec.a', 'spec.b', 'spec.c', 'spec.d', 'spec.e'].map(required)),
      'ValidationFailed',
      'Making the Pod is refused: the API server does not accept spec.a (FieldValueRequired), spec.b (FieldValueRequired), spec.c (FieldValueRequired) and 2 more. It is tried again.',
    ],
    [
      'validation that names no field',
      invalid(),
      'ValidationFailed',
      'Making the Pod is refused: the API server does not accept the object. It is tried again.',
    ],
  ])('R-3.11 refusalText names %s when that refuses a request', (_, error, reason, message) => {
    expect(refusalText('Making the Pod', error)).toEqual({ reason, message });
  });

  it.each(['Timeout', 'Conflict', 'Invalid', 'Unauthorized'] as const)(
    'R-3.11 refusalText returns nothing when a request failed with %s and nothing refused it',
    (reason) => {
      expect(refusalText('Making the Pod', new ApiError(reason, 'the text of the server'))).toBeUndefined();
    },
  );
});
