import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { certificateAuthority } from '../certificates.ts';

const authority = certificateAuthority();
const client = authority.issue('admin');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Files next to each generated kubeconfig. */
export const FILES_BESIDE = {
  'ca.pem': authority.certificate,
  'client.pem': client.certificate,
  'client.key': client.key,
  token: 'token-of-a-file',
} as const;

export const AUTHORITY_DATA = base64(authority.certificate);
export const CLIENT_DATA = {
  'client-certificate-data': base64(client.certificate),
  'client-key-data': base64(client.key),
} as const;

/** The arguments with which somebody starts kubectl. */
export interface GeneratedCase {
  /** The contents of the files, in the order of KUBECONFIG. A string is written as it is. */
  readonly files: readonly unknown[];
  /** --context; undefined for the current one. */
  readonly context?: string | undefined;
  /** --kubeconfig names the first file. Otherwise KUBECONFIG names all of them. */
  readonly byFlag: boolean;
}

/** Writes the files of a case, and the files that they name, into new folders. Resolves with their paths. */
export async function writeCase(root: string, { files }: GeneratedCase): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, content] of files.entries()) {
    const directory = join(root, String(index));
    await mkdir(directory, { recursive: true });
    for (const [name, text] of Object.entries(FILES_BESIDE)) await writeFile(join(directory, name), text);
    const path = join(directory, 'config');
    await writeFile(path, typeof content === 'string' ? content : stringify(content));
    paths.push(path);
  }
  return paths;
}

const NAMES = ['a', 'b', 'c'] as const;

/** Usually one of the values; sometimes a value that kubectl treats as absent, or none. */
function field<T>(...values: readonly T[]): fc.Arbitrary<T | '' | null | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...values) },
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom<'' | null>('', null) },
  );
}

/** Usually absent. */
function seldom<T>(...values: readonly T[]): fc.Arbitrary<T | '' | null | undefined> {
  return fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: field(...values) });
}

const name = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: field('a') });

const cluster = fc.record({
  server: fc.oneof(
    { weight: 4, arbitrary: fc.constant('https://api.test:6443') },
    {
      weight: 3,
      arbitrary: field(
        'api.test:6443',
        'localhost',
        '10.0.0.1:6443',
        'HTTPS://API.test',
        'https://[fd00::1]:6443',
        'https://api.test/prefix/',
        'https://api.test/prefix?query#fragment',
        'http://api.test',
        'api.test/path',
        '//api.test',
        'https:///api.test',
        'https:/api.test',
        'https:api.test',
        'https:\\\\api.test',
        ' https://api.test',
        'https://api.test ',
        'https://api\t.test',
        'https://api.test\\@other.test',
        'https://name:password@api.test',
        'ftp://api.test',
        'https://',
        'https://api.test:port',
      ),
    },
  ),
  'certificate-authority': seldom('ca.pem', './ca.pem', 'missing.pem', 'client.key'),
  'certificate-authority-data': seldom(AUTHORITY_DATA, base64('no PEM'), 'no base64!'),
  'tls-server-name': seldom('inner.test'),
  'insecure-skip-tls-verify': fc.constantFrom(undefined, undefined, undefined, false, true, null),
  'proxy-url': seldom(
    'http://proxy.test:3128',
    'https://proxy.test',
    'socks5://proxy.test',
    'ftp://proxy.test',
    'proxy',
  ),
  extensions: seldom([{ name: 'x', extension: { any: 'thing' } }]),
});

const exec = fc.record({
  apiVersion: field('client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'),
  command: field('plugin', './plugin'),
  args: seldom(['one', 'two'], [null], []),
  env: seldom([{ name: 'A', value: 'b' }], [{ name: 'A' }], [{ name: '', value: 'b' }], [{ value: 'b' }]),
  interactiveMode: field('Never', 'IfAvailable', 'Always', 'Sometimes'),
  provideClusterInfo: fc.constantFrom(undefined, true, null),
});

const user = fc.record({
  token: field('token-of-the-kubeconfig'),
  tokenFile: seldom('token', './token'),
  'client-certificate': seldom('client.pem', 'missing.pem', 'client.key'),
  'client-certificate-data': seldom(CLIENT_DATA['client-certificate-data'], base64('no PEM')),
  'client-key': seldom('client.key', 'missing.key', 'client.pem'),
  'client-key-data': seldom(CLIENT_DATA['client-key-data'], base64('no PEM')),
  username: seldom('admin'),
  password: seldom('secret'),
  as: seldom('somebody'),
  'as-uid': seldom('7'),
  'as-groups': seldom(['group'], []),
  'as-user-extra': seldom({ scopes: ['all'] }, {}),
  'auth-provider': seldom({ name: 'oidc', config: {} }),
  exec: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: exec }),
});

/** Half of the users have one kind of credentials; the other half have any combination. */
const plainUser = fc.constantFrom<Record<string, unknown>>(
  { token: 'token-of-the-kubeconfig' },
  { tokenFile: 'token' },
  { ...CLIENT_DATA },
  { 'client-certificate': 'client.pem', 'client-key': 'client.key' },
  {},
);

const context = fc.record({ cluster: name, user: name, namespace: seldom('shop') });

function entries<T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  const entry = fc.oneof(
    { weight: 14, arbitrary: fc.record({ name, [key]: value }) },
    { weight: 1, arbitrary: fc.constantFrom(null, {}, { name: 'a' }, { name: 'b', [key]: null }) },
  );
  const list = fc.uniqueArray(entry, { maxLength: 4, selector: (one) => nameOf(one) });
  return fc.oneof({ weight: 14, arbitrary: list }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });
}

function nameOf(entry: unknown): string {
  const named = (entry as { name?: unknown } | null)?.name;
  return typeof named === 'string' ? named : '';
}

const kubeconfig = fc.record({
  apiVersion: fc.constantFrom('v1', 'v1', 'v1', '', null, undefined),
  kind: fc.constantFrom('Config', 'Config', 'Config', '', null, undefined),
  'current-context': name,
  clusters: entries('cluster', cluster),
  users: entries('user', fc.oneof(plainUser, user)),
  contexts: entries('context', context),
  preferences: fc.constantFrom(undefined, {}, null),
});

/** Every entry that another refers to exists, so the result depends on the content of the entries. */
const completeKubeconfig = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({ server: 'https://api.test:6443' }) },
      { weight: 3, arbitrary: cluster },
    ),
    cluster,
    fc.oneof({ weight: 3, arbitrary: plainUser }, { weight: 2, arbitrary: user }),
    user,
  )
  .map(([usedCluster, otherCluster, usedUser, otherUser]) => ({
    clusters: [
      { name: 'b', cluster: otherCluster },
      { name: 'a', cluster: usedCluster },
    ],
    users: [
      { name: 'a', user: usedUser },
      { name: 'b', user: otherUser },
    ],
    contexts: NAMES.map((each) => ({ name: each, context: { cluster: 'a', user: 'a' } })),
    'current-context': 'a',
  }));

const file = fc.oneof(
  { weight: 20, arbitrary: completeKubeconfig },
  { weight: 12, arbitrary: kubeconfig },
  { weight: 1, arbitrary: fc.constantFrom('', '# nothing\n', '---\n', '{}', 'null', '[]', 'text', 'kind: Secret\n') },
);

/** Kubeconfigs as people, tools and accidents create them. Most lead to a connection; many are refused. */
export const generatedCases: fc.Arbitrary<GeneratedCase> = fc.record({
  files: fc.array(file, { minLength: 1, maxLength: 2 }),
  context: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
  ),
  byFlag: fc.boolean(),
});
