/**
 * Admission's verdicts on specifications, for the embedded API server and for the real one. A fault is the start of the
 * server's message about the field.
 */
export interface AdmissionCase {
  readonly title: string;
  readonly spec: Record<string, unknown>;
  readonly fault: string | undefined;
  /** For test titles. */
  readonly verdict: string;
}

const KEY = { name: 'password' };
const keys = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `key-${index}` }));

function cases(rows: readonly [string, Record<string, unknown>, string?][]): AdmissionCase[] {
  return rows.map(([title, spec, fault]) => ({ title, spec, fault, verdict: fault ?? 'admitted' }));
}

/** Merged into the specification of a valid contract. */
export const CONTRACT_CASES = cases([
  ['the least', {}],
  ['64 keys', { keys: keys(64) }],
  ['16 targets', { targets: keys(16), mutation: 'Annotate' }],
  ['bounds of lengths', { keys: [{ ...KEY, minLength: 0, maxLength: 1_048_576 }] }],
  ['equal lengths', { keys: [{ ...KEY, minLength: 4, maxLength: 4 }] }],
  ['a pattern', { keys: [{ ...KEY, pattern: '(?i)^[a-z]{2,8}\\d$' }] }],
  ['the least maxAge', { maxAge: '1m' }],
  ['a composed maxAge', { maxAge: '1h30m' }],
  ['a maxAge in days', { maxAge: '30d' }],
  ['a maxAge in days and hours', { maxAge: '1d12h' }],
  ['a maxAge of no day', { maxAge: '0d' }, 'spec.maxAge: '],
  ['a maxAge of half a day in days', { maxAge: '0.5d' }, 'spec.maxAge: '],
  ['a maxAge with days at the end', { maxAge: '1h1d' }, 'spec.maxAge: '],
  ['a pattern with a repetition by hundreds', { keys: [{ ...KEY, pattern: 'pk-[0-9a-zA-Z_-]{1,253}' }] }],
  ['a pattern that ignores the case of letters beyond ASCII', { keys: [{ ...KEY, pattern: '(?i)[à-ÿ]+' }] }],
  [
    'a broken pattern with a repetition by hundreds',
    { keys: [{ ...KEY, pattern: 'a{1,253}(' }] },
    'spec.keys[0].pattern: ',
  ],
  ['bounds of the poll interval', { externalSecretRef: { name: 'db', pollInterval: '1h' } }],
  ['no secretRef', { secretRef: undefined }, 'spec.secretRef: Required value'],
  ['no Secret name', { secretRef: {} }, 'spec.secretRef.name: Required value'],
  ['a Secret name in capitals', { secretRef: { name: 'DB' } }, 'spec.secretRef.name: '],
  ['a namespace with a dot', { secretRef: { name: 'db', namespace: 'a.b' } }, 'spec.secretRef.namespace: '],
  ['no keys', { keys: undefined }, 'spec.keys: Required value'],
  ['zero keys', { keys: [] }, 'spec.keys: '],
  ['65 keys', { keys: keys(65) }, 'spec.keys: Too many: 65'],
  ['a key twice', { keys: [KEY, KEY] }, 'spec.keys[1]: Duplicate value'],
  ['a key name with a slash', { keys: [{ name: 'a/b' }] }, 'spec.keys[0].name: '],
  ['a key name of 254 characters', { keys: [{ name: 'a'.repeat(254) }] }, 'spec.keys[0].name: Too long'],
  ['a negative length', { keys: [{ ...KEY, minLength: -1 }] }, 'spec.keys[0].minLength: '],
  ['a length beyond 1 MiB', { keys: [{ ...KEY, maxLength: 1_048_577 }] }, 'spec.keys[0].maxLength: '],
  ['a minimum above the maximum', { keys: [{ ...KEY, minLength: 2, maxLength: 1 }] }, 'spec.keys[0].minLength: '],
  ['a pattern that does not compile', { keys: [{ ...KEY, pattern: '(' }] }, 'spec.keys[0].pattern: '],
  ['a pattern of 513 characters', { keys: [{ ...KEY, pattern: 'a'.repeat(513) }] }, 'spec.keys[0].pattern: Too long'],
  ['an unknown format', { keys: [{ ...KEY, format: 'YAML' }] }, 'spec.keys[0].format: Unsupported value'],
  ['a maxAge below a minute', { maxAge: '59s' }, 'spec.maxAge: Invalid value: "59s": maxAge must be at least 1m'],
  ['a maxAge that is none', { maxAge: 'soon' }, 'spec.maxAge: '],
  ['an unknown age source', { ageSource: 'Label' }, 'spec.ageSource: Unsupported value'],
  [
    'a poll interval below 30 s',
    { externalSecretRef: { name: 'db', pollInterval: '29s' } },
    'spec.externalSecretRef.pollInterval: ',
  ],
  [
    'a poll interval above 1 h',
    { externalSecretRef: { name: 'db', pollInterval: '61m' } },
    'spec.externalSecretRef.pollInterval: ',
  ],
  ['17 targets', { targets: keys(17) }, 'spec.targets: Too many: 17'],
  [
    'a target twice',
    { targets: [{ name: 'web' }, { kind: 'Deployment', name: 'web' }] },
    'spec.targets[1]: Duplicate value',
  ],
  ['a target of another kind', { targets: [{ kind: 'Job', name: 'web' }] }, 'spec.targets[0].kind: Unsupported value'],
  ['Annotate without targets', { mutation: 'Annotate' }, 'spec.mutation: '],
  ['Annotate with an empty list of targets', { mutation: 'Annotate', targets: [] }, 'spec.mutation: '],
]);

/** Merged into the specification of a valid grant. */
export const GRANT_CASES = cases([
  ['a grant', {}],
  ['a grant that expires, in small letters', { expiresAt: '2026-07-01t02:00:00.1234567890z' }],
  ['a grant that expires', { expiresAt: '2026-07-01T02:00:00+02:00' }],
  [
    'two contracts of one namespace',
    {
      from: [
        { namespace: 'a', contractName: 'x' },
        { namespace: 'a', contractName: 'y' },
      ],
    },
  ],
  ['nobody', { from: [] }, 'spec.from: '],
  ['no from', { from: undefined }, 'spec.from: Required value'],
  [
    '33 sources',
    { from: Array.from({ length: 33 }, (_, index) => ({ namespace: `n${index}` })) },
    'spec.from: Too many: 33',
  ],
  ['a source without a namespace', { from: [{ contractName: 'db' }] }, 'spec.from[0].namespace: Required value'],
  ['a source twice', { from: [{ namespace: 'a' }, { namespace: 'a' }] }, 'spec.from[1]: Duplicate value'],
  ['no Secret', { secretNames: [] }, 'spec.secretNames: '],
  ['no secretNames', { secretNames: undefined }, 'spec.secretNames: Required value'],
  ['a wildcard', { secretNames: ['*'] }, 'spec.secretNames[0]: '],
  [
    '65 Secrets',
    { secretNames: Array.from({ length: 65 }, (_, index) => `s${index}`) },
    'spec.secretNames: Too many: 65',
  ],
  ['an expiry without a zone', { expiresAt: '2026-07-01T00:00:00' }, 'spec.expiresAt: '],
  ['an expiry that is no time', { expiresAt: 'never' }, 'spec.expiresAt: '],
]);

/**
 * Invalid expressions that the API server still admits, because compiling expressions of their kind would take it too
 * long. The controller refuses them.
 */
export const UNCOMPILED_PATTERNS: readonly string[] = [
  `(?i)${'[!-\u{10000}]'.repeat(84)}[`,
  `(?i)${'[\\x{21}-\\x{10000}]'.repeat(26)}[`,
  `(?si:${'\\pL'.repeat(160)}`,
  `${'(a?){0,999}'.repeat(46)}(`,
  `(?:${'a'.repeat(490)}){1000}[`,
  `${'a{1000}'.repeat(72)}(`,
  `${'a{0,99}'.repeat(72)}(`,
  `${'\\pL'.repeat(169)}(`,
];
