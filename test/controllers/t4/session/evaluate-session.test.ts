import { describe, expect, it } from 'vitest';
import { claimName } from '../../../../lib/controllers/t4/child-name.ts';
import { OmpConfigCheck } from '../../../../lib/controllers/t4/omp/omp-config.ts';
import { CHECKS } from '../../../../lib/controllers/t4/session/checks.ts';
import { evaluateSession } from '../../../../lib/controllers/t4/session/evaluate-session.ts';
import type { Readings, Seen, Subject } from '../../../../lib/controllers/t4/session/seen.ts';
import { PREREQUISITE_CONDITIONS } from '../../../../lib/controllers/t4/session/session-conditions.ts';
import type { KubeObject, ObjectMeta } from '../../../../lib/core/kube-object.ts';
import type { Observation } from '../../../../lib/kit/observation.ts';
import { ApiError, type ApiErrorReason } from '../../../../lib/ports/cluster-api.ts';
import {
  DIGEST_KEY,
  hostSpec,
  MODELS,
  OMP_SETTINGS,
  SECRET_VALUES,
  SETTINGS,
  sessionSpec,
  workspaceSpec,
} from '../objects.ts';

/** In the order of the domain: the first failure is reported. */
const ORDER = [
  'RuntimeImageMissing',
  'RuntimeImageInvalid',
  'OMPReferencesMissing',
  'OMPReferencesInvalid',
  'HostNotFound',
  'RuntimeProfileNotAllowed',
  'StorageClassNotFound',
  'StorageClassNotRWX',
  'WorkspaceNotFound',
  'HostMismatch',
  'PVCNotDeclared',
  'PVCIdentityMismatch',
  'PVCNotFound',
  'PVCOwnershipConflict',
  'StorageClassMismatch',
  'PVCNotBoundRWX',
  'OMPConfigMapNotFound',
  'OMPConfigMapInvalid',
  'OMPModelsAuthenticationUnsafe',
  'OMPSettingsAuthenticationUnsafe',
  'OMPSecretNotFound',
  'OMPSecretInvalid',
  'PVCAuthorityChanged',
];

function object(metadata: Partial<ObjectMeta>, fields: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Any',
    metadata: { name: 'any', namespace: 'ns', uid: 'uid', resourceVersion: '1', ...metadata },
    ...fields,
  };
}
const found = (value: KubeObject): Observation<KubeObject> => ({ type: 'found', value });
const ABSENT = { type: 'absent' } as const;

const WORKSPACE = { name: 'ws', uid: 'ws-uid' };
const OWNER = { apiVersion: 'cluster.t4.dev/v1alpha1', kind: 'T4Workspace', ...WORKSPACE, controller: true };
const CLAIM_NAME = claimName(WORKSPACE);

function claim(metadata: Partial<ObjectMeta> = {}, spec: object = {}, status: object = { phase: 'Bound' }): KubeObject {
  return object(
    { name: CLAIM_NAME, uid: 'claim-uid', ownerReferences: [OWNER], ...metadata },
    { spec: { storageClassName: 'shared', accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem', ...spec }, status },
  );
}

function workspace(spec: object = {}, status: object = { pvcName: CLAIM_NAME, pvcUID: 'claim-uid' }): KubeObject {
  return object(WORKSPACE, { spec: workspaceSpec({ ...spec }), status });
}

const RWX = { 'cluster.t4.dev/access-modes': 'ReadWriteMany' };
const values = Object.fromEntries(
  Object.entries(SECRET_VALUES).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
);

const GOOD: Readings = {
  host: found(object({ name: 'host' }, { spec: hostSpec('shared') })),
  workspace: found(workspace()),
  storageClass: found(object({ name: 'shared', annotations: RWX })),
  claim: found(claim()),
  configMap: found(object({}, { data: { 'models.yml': MODELS, 'settings.yml': OMP_SETTINGS } })),
  secret: found(object({}, { data: values })),
  claimAgain: found(claim()),
};

function seen(readings: Partial<Readings> = {}, changes: Partial<Seen> = {}): Seen {
  const spec = { ...sessionSpec(), guiEnabled: false };
  const installed = { settings: SETTINGS, digestKey: DIGEST_KEY, ompConfigCheck: new OmpConfigCheck() };
  return { spec, ...installed, readings: { ...GOOD, ...readings }, ...changes };
}

function reasonOf(readings: Partial<Readings>): string {
  const verdict = evaluateSession(seen(readings));
  return 'reason' in verdict ? verdict.reason : verdict.type;
}

function shown(verdict: ReturnType<typeof evaluateSession>): Record<string, string> {
  const conditions = 'conditions' in verdict ? verdict.conditions : [];
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

describe('the ordered checks', () => {
  it('R-4.2 the checks run in the specified order', () => {
    expect(CHECKS.map(({ reason }) => reason)).toEqual(ORDER);
  });

  it('R-1.22 the checks authorize a session when all succeed, each prerequisite True', () => {
    const verdict = evaluateSession(seen());
    expect(verdict.type).toBe('authorized');
    expect(Object.values(shown(verdict)).every((condition) => condition.startsWith('True '))).toBe(true);
  });

  it('R-4.2 the first failed check is reported when later checks fail too', () => {
    const everything: Seen = seen(
      {
        host: ABSENT,
        storageClass: ABSENT,
        workspace: ABSENT,
        claim: ABSENT,
        configMap: ABSENT,
        secret: ABSENT,
        claimAgain: ABSENT,
      },
      { settings: {} },
    );
    const healing: [string, (before: Seen) => Seen][] = [
      ['RuntimeImageMissing', (before) => ({ ...before, settings: { runtimeImage: 'a:b' } })],
      ['RuntimeImageInvalid', (before) => ({ ...before, settings: { runtimeImage: SETTINGS.runtimeImage } })],
      [
        'OMPReferencesMissing',
        (before) => ({
          ...before,
          settings: { ...SETTINGS, omp: { ...SETTINGS.omp, secret: { name: '', keys: [''] } } },
        }),
      ],
      ['OMPReferencesInvalid', (before) => ({ ...before, settings: SETTINGS })],
      ...(
        [
          ['HostNotFound', 'host', object({}, { spec: hostSpec('shared', { runtimeProfiles: ['large'] }) })],
          ['RuntimeProfileNotAllowed', 'host', object({}, { spec: hostSpec('shared') })],
          ['StorageClassNotFound', 'storageClass', object({})],
          ['StorageClassNotRWX', 'storageClass', object({ annotations: RWX })],
          ['WorkspaceNotFound', 'workspace', workspace({ hostRef: 'other' }, {})],
          ['HostMismatch', 'workspace', workspace({}, {})],
          ['PVCNotDeclared', 'workspace', workspace({}, { pvcName: 'other', pvcUID: 'claim-uid' })],
          ['PVCIdentityMismatch', 'workspace', workspace()],
          ['PVCNotFound', 'claim', claim({ ownerReferences: [] }, { storageClassName: 'x' }, {})],
          ['PVCOwnershipConflict', 'claim', claim({}, { storageClassName: 'x' }, {})],
          ['StorageClassMismatch', 'claim', claim({}, {}, {})],
          ['PVCNotBoundRWX', 'claim', claim()],
          ['OMPConfigMapNotFound', 'configMap', object({}, { data: {} })],
          [
            'OMPConfigMapInvalid',
            'configMap',
            object({}, { data: { 'models.yml': 'providers: [{}]', 'settings.yml': 'token: x' } }),
          ],
          [
            'OMPModelsAuthenticationUnsafe',
            'configMap',
            object({}, { data: { 'models.yml': MODELS, 'settings.yml': 'token: x' } }),
          ],
          [
            'OMPSettingsAuthenticationUnsafe',
            'configMap',
            object({}, { data: { 'models.yml': MODELS, 'settings.yml': 'a: 1' } }),
          ],
          ['OMPSecretNotFound', 'secret', object({}, { data: {} })],
          ['OMPSecretInvalid', 'secret', object({}, { data: values })],
          ['PVCAuthorityChanged', 'claimAgain', claim()],
        ] as [string, Subject, KubeObject][]
      ).map(([reason, subject, healed]): [string, (before: Seen) => Seen] => [
        reason,
        (before) => ({ ...before, readings: { ...before.readings, [subject]: found(healed) } }),
      ]),
    ];
    const told: string[] = [];
    let now = everything;
    for (const [reason, heal] of healing) {
      const verdict = evaluateSession(now);
      expect(verdict).toMatchObject({ type: 'refused', reason });
      told.push(reason);
      now = heal(now);
    }
    expect(told).toEqual(ORDER);
    expect(evaluateSession(now).type).toBe('authorized');
  });

  const SUBJECTS: [Subject, string, string[]][] = [
    ['host', 'Host', ['Unknown HostReadFailed', 'Unknown NotEvaluated', 'Unknown NotEvaluated']],
    [
      'storageClass',
      'StorageClass',
      ['Unknown StorageClassReadFailed', 'Unknown NotEvaluated', 'Unknown NotEvaluated'],
    ],
    ['workspace', 'Workspace', ['True HostVerified', 'Unknown WorkspaceReadFailed', 'Unknown NotEvaluated']],
    ['claim', 'PVC', ['True HostVerified', 'Unknown PVCReadFailed', 'Unknown NotEvaluated']],
    ['configMap', 'OMPConfigMap', ['True HostVerified', 'True WorkspaceVerified', 'Unknown OMPConfigMapReadFailed']],
    ['secret', 'OMPSecret', ['True HostVerified', 'True WorkspaceVerified', 'Unknown OMPSecretReadFailed']],
    ['claimAgain', 'PVC', ['True HostVerified', 'Unknown PVCReadFailed', 'True RuntimeVerified']],
  ];

  it.each(SUBJECTS)(
    'R-1.22 R-1.17 the result is undecided, and no later check runs, when a read of %s fails',
    (subject, name, conditions) => {
      for (const failure of [
        'Timeout',
        'Unreachable',
        'ServerError',
        'TooManyRequests',
        'Malformed',
        'KindMissing',
      ] as ApiErrorReason[]) {
        const error = new ApiError(failure, 'raw server text');
        const verdict = evaluateSession(seen({ [subject]: { type: 'failed', error } }));
        expect(verdict).toMatchObject({ type: 'undecided', reason: `${name}ReadFailed`, error });
        expect(Object.values(shown(verdict))).toEqual(conditions);
        expect(JSON.stringify('conditions' in verdict && verdict.conditions)).not.toContain('raw server text');
      }
      const denied = evaluateSession(seen({ [subject]: { type: 'denied', error: new ApiError('Forbidden', 'no') } }));
      expect(denied).toMatchObject({ type: 'undecided', reason: `${name}AccessDenied` });
    },
  );

  it('R-4.2 a failed check is reported when a later read fails', () => {
    const error = new ApiError('Timeout', 'no answer');
    expect(reasonOf({ host: ABSENT, workspace: { type: 'failed', error } })).toBe('HostNotFound');
    expect(evaluateSession(seen({ claim: { type: 'failed', error } }, { settings: {} }))).toMatchObject({
      type: 'refused',
    });
  });

  it('R-4.4 the OMP objects are read only when the checks reach them', () => {
    const { configMap: _, secret: __, claimAgain: ___, ...watched } = GOOD;
    const asks = (readings: Readings) => evaluateSession({ ...seen(), readings });
    expect(asks({ ...watched, claim: ABSENT })).toMatchObject({ type: 'refused' });
    expect(asks(watched)).toEqual({ type: 'wants', subject: 'configMap' });
    expect(asks({ ...watched, configMap: GOOD.configMap as Observation<KubeObject> })).toEqual({
      type: 'wants',
      subject: 'secret',
    });
  });
});

describe('what slipped past admission, or was changed by hand', () => {
  it.each([
    ['a host without a specification', { host: found(object({})) }, 'RuntimeProfileNotAllowed'],
    [
      'a host with a bad StorageClass name',
      { host: found(object({}, { spec: hostSpec('../secrets') })) },
      'RuntimeProfileNotAllowed',
    ],
    [
      'a host with an http origin',
      { host: found(object({}, { spec: hostSpec('shared', { allowedOrigins: ['http://a'] }) })) },
      'RuntimeProfileNotAllowed',
    ],
    ['a workspace without a specification', { workspace: found(object(WORKSPACE, { status: {} })) }, 'HostMismatch'],
    [
      'a workspace with a bad policy',
      { workspace: found(workspace({ retentionPolicy: 'Keep' })), claim: found(claim({ ownerReferences: [] })) },
      'HostMismatch',
    ],
    ['a status that is a text', { workspace: found({ ...workspace(), status: 'x' }) }, 'PVCNotDeclared'],
    [
      'a recorded UID that is a number',
      { workspace: found(workspace({}, { pvcName: CLAIM_NAME, pvcUID: 7 })) },
      'PVCNotDeclared',
    ],
    ['a claim without a specification', { claim: found({ ...claim(), spec: null }) }, 'StorageClassMismatch'],
    ['a claim for one node', { claim: found(claim({}, { accessModes: ['ReadWriteOnce'] })) }, 'PVCNotBoundRWX'],
    ['a claim as a block device', { claim: found(claim({}, { volumeMode: 'Block' })) }, 'PVCNotBoundRWX'],
    [
      'a claim under deletion',
      { claim: found(claim({ deletionTimestamp: '2026-01-01T00:00:00Z' })) },
      'PVCNotBoundRWX',
    ],
    [
      'a claim with two controllers',
      { claim: found(claim({ ownerReferences: [OWNER, { ...OWNER, uid: 'x' }] })) },
      'PVCOwnershipConflict',
    ],
    [
      'an owner that is no controller',
      { claim: found(claim({ ownerReferences: [{ ...OWNER, controller: false }] })) },
      'PVCOwnershipConflict',
    ],
    [
      'an owner of another kind',
      { claim: found(claim({ ownerReferences: [{ ...OWNER, kind: 'T4Session' }] })) },
      'PVCOwnershipConflict',
    ],
    [
      'an owner of another group',
      { claim: found(claim({ ownerReferences: [{ ...OWNER, apiVersion: 'example.com/v1' }] })) },
      'PVCOwnershipConflict',
    ],
    [
      'an owner of another UID',
      { claim: found(claim({ ownerReferences: [{ ...OWNER, uid: 'earlier' }] })) },
      'PVCOwnershipConflict',
    ],
  ] as [string, Partial<Readings>, string][])('R-4.2 R-1.20 %s', (_, readings, reason) => {
    expect(reasonOf(readings)).toBe(reason);
  });

  const retained = {
    labels: { 'cluster.t4.dev/workspace': 'ws' },
    annotations: { 'cluster.t4.dev/workspace-uid': 'ws-uid' },
    ownerReferences: [],
  };
  it.each([
    ['label, annotation and recorded UID agree', {}, 'authorized'],
    ['the label is another', { labels: {} }, 'PVCOwnershipConflict'],
    [
      'the annotation is that of an earlier workspace',
      { annotations: { 'cluster.t4.dev/workspace-uid': 'x' } },
      'PVCOwnershipConflict',
    ],
    ['it has an owner', { ownerReferences: [{ ...OWNER, uid: 'x' }] }, 'PVCOwnershipConflict'],
    ['the UID is another than the recorded', { uid: 'x' }, 'PVCIdentityMismatch'],
  ] as [string, Partial<ObjectMeta>, string][])('R-1.20 under Retain, %s: %s', (_, metadata, reason) => {
    const under = found(claim({ ...retained, ...metadata }));
    const policy = found(workspace({ retentionPolicy: 'Retain' }));
    expect(reasonOf({ workspace: policy, claim: under, claimAgain: under })).toBe(reason);
  });

  it.each([
    ['gone', ABSENT],
    ['another one', found(claim({ uid: 'x' }))],
    ['handed over', found(claim({ ownerReferences: [{ ...OWNER, uid: 'x' }] }))],
    ['of another class', found(claim({}, { storageClassName: 'x' }))],
    ['for one node', found(claim({}, { accessModes: ['ReadWriteOnce'] }))],
    ['unbound', found(claim({}, {}, { phase: 'Pending' }))],
    ['under deletion', found(claim({ deletionTimestamp: '2026-01-01T00:00:00Z' }))],
  ] as [string, Observation<KubeObject>][])(
    'R-4.6 a claim that is %s at the second read does not authorize a Pod any more',
    (_, claimAgain) => {
      expect(reasonOf({ claimAgain })).toBe('PVCAuthorityChanged');
    },
  );

  it.each(PREREQUISITE_CONDITIONS)('R-4.2 session condition %s has a check of its own when it can be True', (type) => {
    expect(CHECKS.some(({ condition, repeats }) => condition === type && repeats !== true)).toBe(true);
  });
});
