import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../lib/adapters/kubernetes/refusal-of.ts';

const admission = (policy?: string) => ({ by: 'admission', policy });

describe('refusalOf', () => {
  it.each([
    [
      403,
      'pods "a" is forbidden: exceeded quota: small, requested: cpu=500m, used: cpu=1, limited: cpu=1',
      { by: 'quota' },
    ],
    [403, 'persistentvolumeclaims "a" is forbidden: exceeded quota: s, requested: x', { by: 'quota' }],
    [403, 'pods is forbidden: User "system:x" cannot create resource "pods" in API group ""', { by: 'authorization' }],
    [403, 'deployments.apps "a" is forbidden: User "x" cannot get resource', { by: 'authorization' }],
    [403, 'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot', admission('PodSecurity')],
    [403, 'pods "a" is forbidden: maximum cpu usage per Container is 2, but limit is 4', admission()],
    [403, 'admission webhook "images.example.com" denied the request: secret-value', admission('images.example.com')],
    [400, 'admission webhook "images.example.com" denied the request: no', admission('images.example.com')],
    [
      422,
      `pods "a" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'b' denied request: value`,
      admission('no-latest'),
    ],
    [422, 'Pod "a" is invalid: spec.x: Forbidden: value', undefined],
    [403, 'raw server text', undefined],
    [403, '', undefined],
    [409, 'pods "a" is forbidden: exceeded quota: small', undefined],
    // A value in the text of another refusal does not pass for a quota.
    [403, 'admission webhook "w" denied the request: pods "a" is forbidden: exceeded quota: x', admission('w')],
  ])('R-3.11 refusalOf returns what refused for %i "%s"', (code, message, refusal) => {
    expect(refusalOf(code, message)).toEqual(refusal);
  });
});
