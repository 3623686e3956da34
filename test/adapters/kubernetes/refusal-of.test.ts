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
    [403, 'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: runtime', { by: 'quota' }],
    [403, 'pods "a" is forbidden: status unknown for quota: q, resources: limits.cpu,pods', { by: 'quota' }],
    [403, 'pods "a" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [a]}]', { by: 'quota' }],
    [403, 'pods "a" is forbidden: insufficient quota to consume: requests.storage', { by: 'quota' }],
    [403, 'services "a" is forbidden: quota usage is negative for resource(s): services', { by: 'quota' }],
    // Kubernetes 1.37 answers this refusal without the code and the usual prefix.
    [500, 'insufficient quota to match these scopes: [{PriorityClass In [a]}]', { by: 'quota' }],
    [403, 'grpcroutes.gateway.networking.k8s.io "a" is forbidden: exceeded quota: q, requested: x', { by: 'quota' }],
    [403, 'externalsecrets.external-secrets.io is forbidden: User "x" cannot list resource', { by: 'authorization' }],
    [
      422,
      'GRPCRoute.gateway.networking.k8s.io "a" is invalid: spec.x: Required value',
      { by: 'validation', faults: [] },
    ],
    [422, 'T4Session.cluster.t4.dev "a" is invalid: spec.x: Required value', { by: 'validation', faults: [] }],
    [403, 'pods is forbidden: User "system:x" cannot create resource "pods" in API group ""', { by: 'authorization' }],
    [403, 'deployments.apps "a" is forbidden: User "x" cannot get resource', { by: 'authorization' }],
    [403, 'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot', admission('PodSecurity')],
    ...[
      'maximum cpu usage per Container is 2, but limit is 4',
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
      'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
      'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
      '[maximum cpu usage per Container is 2, but limit is 4, maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
    ].map((why): [number, string, object] => [403, `pods "a" is forbidden: ${why}`, admission('LimitRange')]),
    [403, 'pods "a" is forbidden: some plugin: maximum cpu usage per Pod is 1', admission()],
    [403, 'admission webhook "images.example.com" denied the request: secret-value', admission('images.example.com')],
    [400, 'admission webhook "images.example.com" denied the request: no', admission('images.example.com')],
    ...[401, 404, 409, 410, 429, 500, 503].map((code): [number, string, object] => [
      code,
      'admission webhook "images.example.com" denied the request: no',
      admission('images.example.com'),
    ]),
    [
      409,
      'admission webhook "images.example.com" denied the request without explanation',
      admission('images.example.com'),
    ],
    ...[401, 413].map((code): [number, string, object] => [
      code,
      `pods "a" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'b' denied request: no`,
      admission('no-latest'),
    ]),
    [
      422,
      `pods "a" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'b' denied request: value`,
      admission('no-latest'),
    ],
    [422, 'Pod "a" is invalid: spec.x: Forbidden: value', { by: 'validation', faults: [] }],
    [
      403,
      'services "a" is forbidden: unable to create new content in namespace hs-1 because it is being terminated',
      { by: 'termination' },
    ],
    [403, 'raw server text', undefined],
    [403, '', undefined],
    [409, 'pods "a" is forbidden: exceeded quota: small', undefined],
    [409, 'Operation cannot be fulfilled on pods "a": admission webhook "w" denied the request: x', undefined],
    [
      422,
      'Pod "a" is invalid: spec.x: Invalid value: "insufficient quota to match these scopes: x"',
      { by: 'validation', faults: [] },
    ],
    [403, `pods "a" is forbidden: maximum cpu is 2: violates PodSecurity "x"`, admission()],
    // Text in another refusal must not count as a quota.
    [403, 'admission webhook "w" denied the request: pods "a" is forbidden: exceeded quota: x', admission('w')],
  ])('R-3.11 refusalOf returns what refused for %i "%s"', (code, message, refusal) => {
    expect(refusalOf(code, message)).toEqual(refusal);
  });

  it.each([
    [
      [{ reason: 'FieldValueInvalid', message: 'Invalid value: "s3cret"', field: 'spec.ports[0].name' }],
      [{ field: 'spec.ports[0].name', reason: 'FieldValueInvalid' }],
    ],
    [
      [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' },
        { message: 'no reason', field: 'metadata.labels' },
      ],
      [
        { field: 'spec.a', reason: 'FieldValueRequired' },
        { field: 'metadata.labels', reason: '' },
      ],
    ],
    // Brackets may contain text of users, and a webhook's response may contain anything.
    [
      [{ reason: 'FieldValueDuplicate', field: 'spec.hosts[s3cret.example.org].port' }],
      [{ field: 'spec.hosts[...].port', reason: 'FieldValueDuplicate' }],
    ],
    [
      [
        { reason: 's3cret value', field: 'spec.a' },
        { reason: 'FieldValueInvalid', field: 'the password is s3cret' },
        'text',
        null,
      ],
      [{ field: 'spec.a', reason: '' }],
    ],
    ['no list', []],
  ])('R-3.11 refusalOf returns the fields of %j and the kinds of their faults, and no value', (causes, faults) => {
    const refusal = refusalOf(422, 'Service "a" is invalid: spec.x: Invalid value: "s3cret"', causes);
    expect(refusal).toEqual({ by: 'validation', faults });
    expect(JSON.stringify(refusal)).not.toContain('s3cret');
  });
});
