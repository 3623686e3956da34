import { hostSpec, sessionSpec, workspaceSpec } from './objects.ts';

/**
 * Admission's verdicts on specifications, for the embedded API server and for the real one, and the controllers'
 * messages about objects that were stored without admission. A fault is the start of the server's message about the
 * field.
 */
export interface AdmissionCase {
  readonly title: string;
  readonly kind: 'T4ClusterHost' | 'T4Workspace' | 'T4Session';
  readonly spec: Record<string, unknown>;
  readonly fault: string | undefined;
  /** For test titles. */
  readonly verdict: string;
}

/** An edit of a valid specification. */
export interface EditCase extends AdmissionCase {
  readonly before: Record<string, unknown>;
}

type Row = readonly [title: string, changes: Record<string, unknown>, fault?: string];

const VALID = {
  T4ClusterHost: hostSpec('shared'),
  T4Workspace: workspaceSpec(),
  T4Session: sessionSpec(),
} as const;

function cases(kind: AdmissionCase['kind'], rows: readonly Row[]): AdmissionCase[] {
  return rows.map(([title, changes, fault]) => ({
    title,
    kind,
    spec: { ...VALID[kind], ...changes },
    fault,
    verdict: fault ?? 'admitted',
  }));
}

const LONG_NAME = 'a'.repeat(253);
const TOO_LONG_NAME = 'a'.repeat(254);
const profiles = (count: number) => Array.from({ length: count }, (_, index) => `profile-${index}`);
const origins = (count: number) => Array.from({ length: count }, (_, index) => `https://t${index}.example`);
const ci = (changes: object) => ({ ciProvider: { configMapRef: { name: 'ci' }, ...changes } });

const HOSTS = cases('T4ClusterHost', [
  ['the least', {}],
  ['16 profiles', { runtimeProfiles: profiles(16) }],
  ['a profile of 64 characters', { runtimeProfiles: ['a'.repeat(64)] }],
  ['a profile with every allowed character', { runtimeProfiles: ['a0.b-c_d9'] }],
  ['a StorageClass of 253 characters', { storageClassName: LONG_NAME }],
  ['a CI provider with a Secret', ci({ secretRef: { name: 'ci' } })],
  ['a CI provider with an audience', ci({ serviceAccountAudience: 'https://ci.example' })],
  ['32 origins', { allowedOrigins: origins(32) }],
  ['an origin with a port', { allowedOrigins: ['https://t4.example:8443', 'https://localhost:65535'] }],
  ['no StorageClass', { storageClassName: undefined }, 'spec.storageClassName: Required value'],
  ['a StorageClass that is no subdomain', { storageClassName: 'a..b' }, 'spec.storageClassName: '],
  ['a StorageClass of 254 characters', { storageClassName: TOO_LONG_NAME }, 'spec.storageClassName: Too long'],
  ['no profiles', { runtimeProfiles: undefined }, 'spec.runtimeProfiles: Required value'],
  ['zero profiles', { runtimeProfiles: [] }, 'spec.runtimeProfiles: '],
  ['17 profiles', { runtimeProfiles: profiles(17) }, 'spec.runtimeProfiles: Too many: 17'],
  ['a profile twice', { runtimeProfiles: ['small', 'small'] }, 'spec.runtimeProfiles[1]: Duplicate value'],
  ['a profile in capitals', { runtimeProfiles: ['Small'] }, 'spec.runtimeProfiles[0]: '],
  ['a profile that ends with a dash', { runtimeProfiles: ['small-'] }, 'spec.runtimeProfiles[0]: '],
  ['a profile of 65 characters', { runtimeProfiles: ['a'.repeat(65)] }, 'spec.runtimeProfiles[0]: '],
  ['an empty profile', { runtimeProfiles: [''] }, 'spec.runtimeProfiles[0]: '],
  ['a profile that is no text', { runtimeProfiles: [7] }, 'spec.runtimeProfiles[0]: '],
  ['profiles that are no list', { runtimeProfiles: 'small' }, 'spec.runtimeProfiles: '],
  ['an empty StorageClass', { storageClassName: '' }, 'spec.storageClassName: '],
  ['a CI Secret without a name', ci({ secretRef: {} }), 'spec.ciProvider.secretRef.name: Required value'],
  ['a CI Secret with a bad name', ci({ secretRef: { name: 'a/b' } }), 'spec.ciProvider.secretRef.name: '],
  ['an empty audience', ci({ serviceAccountAudience: '' }), 'spec.ciProvider.serviceAccountAudience: '],
  [
    'an audience of 257 characters',
    ci({ serviceAccountAudience: 'a'.repeat(257) }),
    'spec.ciProvider.serviceAccountAudience: Too long',
  ],
  [
    'a CI ConfigMap with a bad name',
    { ciProvider: { configMapRef: { name: 'CI' }, serviceAccountAudience: 'x' } },
    'spec.ciProvider.configMapRef.name: ',
  ],
  ['a CI provider with neither', ci({}), 'spec.ciProvider: '],
  ['a CI provider with both', ci({ secretRef: { name: 'ci' }, serviceAccountAudience: 'x' }), 'spec.ciProvider: '],
  [
    'a CI provider without a ConfigMap',
    { ciProvider: { serviceAccountAudience: 'x' } },
    'spec.ciProvider.configMapRef: Required value',
  ],
  [
    'a CI ConfigMap without a name',
    { ciProvider: { configMapRef: {}, serviceAccountAudience: 'x' } },
    'spec.ciProvider.configMapRef.name: Required value',
  ],
  ['33 origins', { allowedOrigins: origins(33) }, 'spec.allowedOrigins: Too many: 33'],
  ['an origin twice', { allowedOrigins: ['https://a.b', 'https://a.b'] }, 'spec.allowedOrigins[1]: Duplicate value'],
  ['an http origin', { allowedOrigins: ['http://t4.example'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with a path', { allowedOrigins: ['https://t4.example/'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with a query', { allowedOrigins: ['https://t4.example?a'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with userinfo', { allowedOrigins: ['https://me@t4.example'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with a fragment', { allowedOrigins: ['https://t4.example#a'] }, 'spec.allowedOrigins[0]: '],
  ['an origin without a host', { allowedOrigins: ['https://'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with port 0', { allowedOrigins: ['https://t4.example:0'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with two lines', { allowedOrigins: ['https://a.b\nhttps://c.d'] }, 'spec.allowedOrigins[0]: '],
  ['an origin with port 65536', { allowedOrigins: ['https://t4.example:65536'] }, 'spec.allowedOrigins[0]: '],
  ['any origin', { allowedOrigins: ['*'] }, 'spec.allowedOrigins[0]: '],
]);

const WORKSPACES = cases('T4Workspace', [
  ['the least', {}],
  ['a host reference of 253 characters', { hostRef: LONG_NAME }],
  ['the longest texts', { displayName: 'ü'.repeat(128), owner: 'o'.repeat(256) }],
  ['a repository', { repository: { repositoryId: 'a/b' } }],
  ['a repository at a commit', { repository: { repositoryId: 'a/b', ref: 'main', commit: '0123abc' } }],
  ['a commit of 64 digits', { repository: { repositoryId: 'a/b', ref: 'main', commit: 'A'.repeat(64) } }],
  ['a size in another unit', { size: '1e9', retentionPolicy: 'Retain' }],
  ['no host', { hostRef: undefined }, 'spec.hostRef: Required value'],
  ['a host in capitals', { hostRef: 'Host' }, 'spec.hostRef: '],
  ['a host of 254 characters', { hostRef: TOO_LONG_NAME }, 'spec.hostRef: Too long'],
  ['no displayName', { displayName: undefined }, 'spec.displayName: Required value'],
  ['an empty displayName', { displayName: '' }, 'spec.displayName: '],
  ['a displayName of 129 characters', { displayName: 'd'.repeat(129) }, 'spec.displayName: Too long'],
  ['no owner', { owner: undefined }, 'spec.owner: Required value'],
  ['an owner of 257 characters', { owner: 'o'.repeat(257) }, 'spec.owner: Too long'],
  ['an empty owner', { owner: '' }, 'spec.owner: '],
  ['an owner that is no text', { owner: { name: 'ada' } }, 'spec.owner: '],
  ['an empty host', { hostRef: '' }, 'spec.hostRef: '],
  ['a host that ends with a dot', { hostRef: 'a.' }, 'spec.hostRef: '],
  ['an empty repository id', { repository: { repositoryId: '' } }, 'spec.repository.repositoryId: '],
  [
    'a repository id of 257 characters',
    { repository: { repositoryId: 'r'.repeat(257) } },
    'spec.repository.repositoryId: ',
  ],
  ['an empty ref', { repository: { repositoryId: 'a', ref: '' } }, 'spec.repository.ref: '],
  [
    'a ref of 257 characters',
    { repository: { repositoryId: 'a', ref: 'r'.repeat(257) } },
    'spec.repository.ref: Too long',
  ],
  ['a repository without an id', { repository: { ref: 'main' } }, 'spec.repository.repositoryId: Required value'],
  ['a commit without a ref', { repository: { repositoryId: 'a', commit: '0123abc' } }, 'spec.repository.commit: '],
  [
    'a commit of 6 digits',
    { repository: { repositoryId: 'a', ref: 'm', commit: '0123ab' } },
    'spec.repository.commit: ',
  ],
  [
    'a commit of 65 digits',
    { repository: { repositoryId: 'a', ref: 'm', commit: 'a'.repeat(65) } },
    'spec.repository.commit: Too long',
  ],
  [
    'a commit that is not hex',
    { repository: { repositoryId: 'a', ref: 'm', commit: 'main123' } },
    'spec.repository.commit: ',
  ],
  ['no size', { size: undefined }, 'spec.size: Required value'],
  ['a size that is none', { size: 'large' }, 'spec.size: '],
  ['a size of zero', { size: '0Gi' }, 'spec.size: '],
  ['a negative size', { size: '-1Gi' }, 'spec.size: '],
  ['no retention policy', { retentionPolicy: undefined }, 'spec.retentionPolicy: Required value'],
  ['an unknown retention policy', { retentionPolicy: 'Recycle' }, 'spec.retentionPolicy: Unsupported value'],
]);

const whole = { repositoryId: 'a/b', ref: 'main', commit: '0123abc' };

const SESSIONS = cases('T4Session', [
  ['the least', {}],
  ['everything', { initialPromptSecretRef: { name: 'prompt' }, guiEnabled: true, ci: whole }],
  ['an empty ci', { ci: {} }],
  ['a workspace of 253 characters', { workspaceRef: LONG_NAME }],
  ['no host', { hostRef: undefined }, 'spec.hostRef: Required value'],
  ['a host with a slash', { hostRef: 'a/b' }, 'spec.hostRef: '],
  ['no workspace', { workspaceRef: undefined }, 'spec.workspaceRef: Required value'],
  ['a workspace that begins with a dash', { workspaceRef: '-ws' }, 'spec.workspaceRef: '],
  ['a workspace of 254 characters', { workspaceRef: TOO_LONG_NAME }, 'spec.workspaceRef: Too long'],
  ['no title', { title: undefined }, 'spec.title: Required value'],
  ['an empty title', { title: '' }, 'spec.title: '],
  ['a title of 129 characters', { title: 't'.repeat(129) }, 'spec.title: Too long'],
  ['no profile', { runtimeProfile: undefined }, 'spec.runtimeProfile: Required value'],
  ['a profile that no host can allow', { runtimeProfile: 'Small' }, 'spec.runtimeProfile: '],
  ['an empty profile', { runtimeProfile: '' }, 'spec.runtimeProfile: '],
  ['a profile of 65 characters', { runtimeProfile: 'a'.repeat(65) }, 'spec.runtimeProfile: '],
  ['an empty workspace', { workspaceRef: '' }, 'spec.workspaceRef: '],
  ['a host of 254 characters', { hostRef: TOO_LONG_NAME }, 'spec.hostRef: Too long'],
  [
    'a prompt of 254 characters',
    { initialPromptSecretRef: { name: TOO_LONG_NAME } },
    'spec.initialPromptSecretRef.name: Too long',
  ],
  ['a ci with an empty repository', { ci: { ...whole, repositoryId: '' } }, 'spec.ci.repositoryId: '],
  ['a ci with an empty ref', { ci: { ...whole, ref: '' } }, 'spec.ci.ref: '],
  ['a ci commit of 6 digits', { ci: { ...whole, commit: '0123ab' } }, 'spec.ci.commit: '],
  ['a ci commit of 65 digits', { ci: { ...whole, commit: 'a'.repeat(65) } }, 'spec.ci.commit: Too long'],
  ['a prompt without a name', { initialPromptSecretRef: {} }, 'spec.initialPromptSecretRef.name: Required value'],
  ['a prompt with a bad name', { initialPromptSecretRef: { name: 'P' } }, 'spec.initialPromptSecretRef.name: '],
  ['a gui that is no flag', { guiEnabled: 'yes' }, 'spec.guiEnabled: '],
  ['a ci without a commit', { ci: { ...whole, commit: undefined } }, 'spec.ci: '],
  ['a ci with a repository only', { ci: { repositoryId: 'a/b' } }, 'spec.ci: '],
  ['a ci commit that is not hex', { ci: { ...whole, commit: 'HEAD~12' } }, 'spec.ci.commit: '],
]);

export const ADMISSION_CASES: readonly AdmissionCase[] = [...HOSTS, ...WORKSPACES, ...SESSIONS];

function edits(kind: AdmissionCase['kind'], rows: readonly Row[]): EditCase[] {
  return cases(kind, rows).map((row) => ({ ...row, before: VALID[kind] }));
}

export const EDIT_CASES: readonly EditCase[] = [
  ...edits('T4ClusterHost', [['the StorageClass and profiles', { storageClassName: 'other', runtimeProfiles: ['x'] }]]),
  ...edits('T4Workspace', [
    ['texts and a greater size', { displayName: 'Other', owner: 'bob', size: '11Gi' }],
    ['the same size in another unit', { size: '10240Mi' }],
    ['the host', { hostRef: 'other' }, 'spec.hostRef: '],
    ['the retention policy', { retentionPolicy: 'Retain' }, 'spec.retentionPolicy: '],
    ['a smaller size', { size: '9Gi' }, 'spec.size: '],
    ['a smaller size in a larger unit', { size: '0.009Ti' }, 'spec.size: '],
  ]),
  ...edits('T4Session', [
    ['the workspace, the profile and the title', { workspaceRef: 'other', runtimeProfile: 'large', title: 'Other' }],
    ['the host', { hostRef: 'other' }, 'spec.hostRef: '],
  ]),
];
