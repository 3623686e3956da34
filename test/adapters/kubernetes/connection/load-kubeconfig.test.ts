import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  type LoadKubeconfigOptions,
  loadKubeconfig,
} from '../../../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { certificateAuthority } from '../certificates.ts';

const authority = certificateAuthority();
const client = authority.issue('admin');
const base64 = (text: string) => Buffer.from(text).toString('base64');
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'evenkeel-kubeconfig-'));
});
afterAll(() => rm(root, { recursive: true }));

let count = 0;
/** Writes a kubeconfig into a new directory. A string is written as it is. */
async function write(content: unknown): Promise<string> {
  count += 1;
  const directory = join(root, String(count));
  await mkdir(directory);
  const file = join(directory, 'config');
  await writeFile(file, typeof content === 'string' ? content : stringify(content));
  return file;
}

interface Parts {
  readonly cluster?: Record<string, unknown>;
  readonly user?: Record<string, unknown>;
}

/** A kubeconfig with one context `dev`. */
function kubeconfig({ cluster = {}, user = {} }: Parts = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'c', cluster: { server: 'https://api.test:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
  };
}

function load(options: Partial<LoadKubeconfigOptions>) {
  return loadKubeconfig({ environment: {}, clock: new ManualClock(), ...options });
}

async function connectionOf(parts: Parts) {
  return (await load({ file: await write(kubeconfig(parts)) })).connection;
}

async function faultOf(loading: Promise<unknown>): Promise<Error & { code: string }> {
  return (await loading.then(
    () => Promise.reject(new Error('it was loaded')),
    (error: unknown) => error,
  )) as Error & { code: string };
}

describe('R-6.3 the connection of a kubeconfig context', () => {
  it('the connection has the server, its authority and a token', async () => {
    const connection = await connectionOf({
      cluster: { 'certificate-authority-data': base64(authority.certificate), 'tls-server-name': 'inner.test' },
      user: { token: 'tk' },
    });
    expect(connection).toEqual({
      server: 'https://api.test:6443',
      certificateAuthority: authority.certificate,
      tlsServerName: 'inner.test',
      token: expect.objectContaining({ kind: 'static' }),
    });
    await expect(connection.token?.current()).resolves.toBe('tk');
  });

  it('the connection is anonymous without a user', async () => {
    const config = { ...kubeconfig(), users: [], contexts: [{ name: 'dev', context: { cluster: 'c' } }] };
    const { connection } = await load({ file: await write(config) });
    expect(connection).toEqual({ server: 'https://api.test:6443' });
  });

  it('the connection has a client certificate, from data or from files next to the kubeconfig', async () => {
    const data = { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) };
    await expect(connectionOf({ user: data })).resolves.toMatchObject({ clientCertificate: client });

    const file = await write(
      kubeconfig({
        cluster: { 'certificate-authority': 'ca.pem' },
        user: { 'client-certificate': 'crt.pem', 'client-key': 'key.pem' },
      }),
    );
    await writeFile(join(file, '..', 'ca.pem'), authority.certificate);
    await writeFile(join(file, '..', 'crt.pem'), client.certificate);
    await writeFile(join(file, '..', 'key.pem'), client.key);
    await expect(load({ file })).resolves.toMatchObject({
      connection: { certificateAuthority: authority.certificate, clientCertificate: client },
    });
  });

  it('the connection prefers a token file next to the kubeconfig to a token, and reads it again regularly', async () => {
    const file = await write(kubeconfig({ user: { tokenFile: 'token', token: 'old' } }));
    await writeFile(join(file, '..', 'token'), 'first');
    const { token } = (await load({ file })).connection;
    expect(token?.kind).toBe('file');
    await expect(token?.current()).resolves.toBe('first');
    await writeFile(join(file, '..', 'token'), 'second');
    token?.refused('first');
    await expect(token?.current()).resolves.toBe('second');
  });

  it('a credential plugin runs on first use only, and a relative path is relative to the kubeconfig', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      args: ['--for', 'dev'],
      env: [{ name: 'PREFIX', value: 'tk' }],
      interactiveMode: 'IfAvailable',
      provideClusterInfo: true,
    };
    const file = await write(kubeconfig({ user: { exec } }));
    const { plugin } = (await load({ file, environment: { PATH: process.env.PATH } })).connection;
    expect(plugin).toBeDefined();
    await writeFile(
      join(file, '..', 'plugin'),
      [
        `#!${process.execPath}`,
        `const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);`,
        `const token = [process.env.PREFIX, ...process.argv.slice(2), spec.cluster.server].join(' ');`,
        `console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } }));`,
      ].join('\n'),
      { mode: 0o700 },
    );
    await expect(plugin?.current()).resolves.toEqual({ token: 'tk --for dev https://api.test:6443' });
  });

  it.each(['http://proxy.test:3128', 'https://proxy.test', 'http://user:pass%40word@proxy.test'])(
    'the connection uses the proxy %s of the kubeconfig',
    async (proxy) => {
      await expect(connectionOf({ cluster: { 'proxy-url': proxy } })).resolves.toMatchObject({ proxy });
    },
  );

  it.each(['/', '/path', '?a=b', '/path?a=b#c'])(
    "the connection ignores the %s at the end of the proxy's URL, as Go does",
    async (end) => {
      const proxy = 'http://user:pass%40word@proxy.test:3128';
      await expect(connectionOf({ cluster: { 'proxy-url': `${proxy}${end}` } })).resolves.toMatchObject({ proxy });
    },
  );

  it('the certificate check is skipped only when the kubeconfig says so', async () => {
    await expect(connectionOf({ cluster: { 'insecure-skip-tls-verify': true } })).resolves.toMatchObject({
      insecureSkipTlsVerify: true,
    });
  });
});

/** A text with YAML's anchors and aliases, which `stringify` would expand. */
function kubeconfigText(more: string): string {
  return `${stringify(kubeconfig())}${more}\n`;
}

/** Ten lists, each of which refers to the previous one ten times. */
const ALIAS_BOMB = `x0: &x0 [boom]\n${Array.from({ length: 9 }, (_, level) => {
  return `x${level + 1}: &x${level + 1} [${Array(10).fill(`*x${level}`).join(', ')}]`;
}).join('\n')}`;

describe('R-6.3 a kubeconfig is read as kubectl reads it', () => {
  it.each<[string, unknown]>([
    ['an empty user', { cluster: 'c', user: '' }],
    ['a user that is null', { cluster: 'c', user: null }],
    ['no user', { cluster: 'c' }],
  ])('a context with %s gives an anonymous connection', async (_, context) => {
    const config = { ...kubeconfig({ user: { token: 'tk' } }), contexts: [{ name: 'dev', context }] };
    const { connection } = await load({ file: await write(config) });
    expect(connection).toEqual({ server: 'https://api.test:6443' });
  });

  it.each<[string, object]>([
    ['a cluster without a server', { clusters: [{ name: 'x', cluster: {} }] }],
    ['a cluster with an empty server', { clusters: [{ name: 'x', cluster: { server: '' } }] }],
    ['a cluster that is null', { clusters: [{ name: 'x', cluster: null }] }],
    ['a cluster that is absent', { clusters: [{ name: 'x' }] }],
    ['an entry that is null', { clusters: [null] }],
    ['a cluster without a name', { clusters: [{ cluster: { server: 'https://x.test' } }] }],
    [
      'a cluster with fields that are null',
      { clusters: [{ name: 'x', cluster: { server: null, 'proxy-url': null } }] },
    ],
    ['a user without a name', { users: [{ user: { token: 'x' } }] }],
    ['a user with an empty name', { users: [{ name: '', user: { token: 'x' } }] }],
    ['a user with fields that are null', { users: [{ name: 'x', user: { token: null, exec: null, as: null } }] }],
    ['a context without a cluster', { contexts: [{ name: 'x', context: { user: 'u' } }] }],
    ['a context with an empty cluster', { contexts: [{ name: 'x', context: { cluster: '', user: '' } }] }],
    ['a context that is null', { contexts: [{ name: 'x', context: null }] }],
    ['preferences that are null', { preferences: null }],
  ])('%s that nothing uses is ignored', async (_, more) => {
    const config: Record<string, unknown> = kubeconfig({ user: { token: 'tk' } });
    for (const [field, entries] of Object.entries(more)) {
      config[field] = Array.isArray(entries) ? [...(config[field] as unknown[]), ...entries] : entries;
    }
    const { connection } = await load({ file: await write(config) });
    await expect(connection.token?.current()).resolves.toBe('tk');
  });

  it.each<[string, Parts]>([
    [
      'null',
      { cluster: { 'certificate-authority': null, 'proxy-url': null }, user: { token: 'tk', as: null, exec: null } },
    ],
    [
      'empty',
      { cluster: { 'certificate-authority': '', 'proxy-url': '' }, user: { token: 'tk', as: '', 'as-groups': [] } },
    ],
    [
      'empty or null',
      { cluster: { 'tls-server-name': '', 'insecure-skip-tls-verify': null }, user: { token: 'tk', tokenFile: '' } },
    ],
    [
      'null in an identity',
      { user: { token: 'tk', 'as-uid': '', 'as-user-extra': {}, username: null, 'client-key': '' } },
    ],
  ])('fields of the used entries that are %s count as absent', async (_, parts) => {
    const connection = await connectionOf(parts);
    expect(Object.keys(connection).sort()).toEqual(['server', 'token']);
    await expect(connection.token?.current()).resolves.toBe('tk');
  });

  it.each([
    ['api.test:6443', 'http://api.test:6443'],
    ['localhost:8080', 'http://localhost:8080'],
    ['10.0.0.1:6443', 'http://10.0.0.1:6443'],
    ['api.test', 'http://api.test'],
    ['http://api.test', 'http://api.test'],
  ])('a server %s is reached by http, without credentials', async (server, url) => {
    await expect(connectionOf({ cluster: { server }, user: { token: 'tk' } })).resolves.toEqual({ server: url });
  });

  it.each([
    ['empty', ''],
    ['only a comment', '# later\n'],
    ['only a document start', '---\n'],
    ['an empty mapping', '{}\n'],
  ])('a file of KUBECONFIG that is %s adds nothing', async (_, text) => {
    const environment = { KUBECONFIG: [await write(text), await write(kubeconfig())].join(delimiter) };
    await expect(load({ environment })).resolves.toMatchObject({ context: 'dev' });
  });

  it('YAML 1.1 values, aliases and the first of several documents are read as kubectl does', async () => {
    const cluster = 'server: https://api.test\n    insecure-skip-tls-verify: yes';
    const users = 'users:\n- name: u\n  user: &user {token: tk}\n- {name: v, user: *user}';
    const text = `clusters:\n- name: c\n  cluster:\n    ${cluster}\n${users}\ncontexts:\n- {name: x, context: {cluster: c, user: v}}\ncurrent-context: x\n---\nother: document\n`;
    const { connection } = await load({ file: await write(text) });
    expect(connection).toMatchObject({ server: 'https://api.test', insecureSkipTlsVerify: true });
    await expect(connection.token?.current()).resolves.toBe('tk');
  });

  it('kubeconfig with 200 uses of one alias is accepted', async () => {
    const contexts = Array.from({ length: 200 }, (_, n) => `- {name: c${n}, context: *ctx}`).join('\n');
    const text = `x: &ctx {cluster: c}\nclusters: [{name: c, cluster: {server: "https://api.test"}}]\ncontexts:\n${contexts}\ncurrent-context: c199\n`;
    await expect(load({ file: await write(text) })).resolves.toMatchObject({ context: 'c199' });
  });

  it('only the client certificate is used when a user has a plugin too', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'never', interactiveMode: 'Never' };
    const data = { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) };
    const connection = await connectionOf({ user: { ...data, exec } });
    expect(Object.keys(connection).sort()).toEqual(['clientCertificate', 'server']);
  });
});

describe('R-6.3 the kubeconfig that is loaded', () => {
  it('the kubeconfig is the named one, or that of KUBECONFIG, or that in the home directory', async () => {
    const named = await write(kubeconfig({ user: { token: 'named' } }));
    const listed = await write(kubeconfig({ user: { token: 'listed' } }));
    const home = join(root, 'home');
    await mkdir(join(home, '.kube'), { recursive: true });
    await writeFile(join(home, '.kube', 'config'), stringify(kubeconfig({ user: { token: 'home' } })));
    const tokenOf = async (options: Partial<LoadKubeconfigOptions>) =>
      (await load(options)).connection.token?.current();
    await expect(tokenOf({ file: named, environment: { KUBECONFIG: listed, HOME: home } })).resolves.toBe('named');
    await expect(tokenOf({ environment: { KUBECONFIG: listed, HOME: home } })).resolves.toBe('listed');
    await expect(tokenOf({ environment: { HOME: home } })).resolves.toBe('home');
  });

  it('several files form one kubeconfig: the first entry counts, and missing files are ignored', async () => {
    const first = await write({ ...kubeconfig({ user: { token: 'first' } }), 'current-context': '', contexts: [] });
    const second = await write(kubeconfig({ user: { token: 'second' } }));
    const environment = { KUBECONFIG: [join(root, 'missing'), first, second].join(delimiter) };
    const loaded = await load({ environment });
    expect(loaded).toMatchObject({ context: 'dev', file: second });
    await expect(loaded.connection.token?.current()).resolves.toBe('first');
  });

  it('another context is selected by name', async () => {
    const config = kubeconfig();
    config.clusters.push({ name: 'c2', cluster: { server: 'https://other.test' } });
    config.contexts.push({ name: 'prod', context: { cluster: 'c2', user: 'u' } });
    await expect(load({ file: await write(config), context: 'prod' })).resolves.toMatchObject({
      context: 'prod',
      connection: { server: 'https://other.test' },
    });
  });
});

describe('R-6.4 a kubeconfig that cannot be used', () => {
  it.each<[string, Partial<LoadKubeconfigOptions>, RegExp]>([
    [
      'is missing',
      { file: '/no/such/config' },
      /kubeconfig \/no\/such\/config cannot be read \(ENOENT\)\. Name an existing/,
    ],
    ['is nowhere', { environment: {} }, /no kubeconfig was named, and neither KUBECONFIG nor HOME is set/],
    ['is missing at home', { environment: { HOME: '/no/home' } }, /\/no\/home\/\.kube\/config cannot be read/],
    [
      'is none of several',
      { environment: { KUBECONFIG: ['/no/a', '/no/b'].join(delimiter) } },
      /none .*: \/no\/a, \/no\/b\./,
    ],
  ])('the error names the file when %s', async (_, options, message) => {
    await expect(load(options)).rejects.toMatchObject({
      code: 'KUBECONFIG_MISSING',
      message: expect.stringMatching(message),
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['is no YAML', 'users:\n  - token: SECRET\n  bad: [', /is not YAML: see line \d+, column \d+\. Correct it/],
    ['is empty', '', /has no context\. Name another file/],
    ['is a list', '- SECRET', /holds no kubeconfig\. Name another file/],
    ['is of another kind', { apiVersion: 'v1', kind: 'Secret' }, /is a v1 Secret, and no kubeconfig/],
    ['is of another version', { ...kubeconfig(), apiVersion: 'v2' }, /is a v2 Config, and no kubeconfig/],
    [
      'has two users of one name',
      {
        ...kubeconfig(),
        users: [
          { name: 'u', user: {} },
          { name: 'u', user: { token: 'SECRET' } },
        ],
      },
      /has two users named u\. Rename or remove one/,
    ],
    [
      'has two nameless contexts',
      { ...kubeconfig(), contexts: [{ context: {} }, null] },
      /has two contexts without a name\. Rename or remove one/,
    ],
    ['is a text', 'SECRET', /holds no kubeconfig\. Name another file/],
    [
      'has a token that is a number',
      kubeconfig({ user: { token: 123 } }),
      /users\[0\]\.user\.token is of a wrong type/,
    ],
    [
      'lacks a name',
      { ...kubeconfig(), users: [{ user: { token: 'SECRET' } }] },
      /has no user u, which its context dev/,
    ],
    ['lacks a server', kubeconfig({ cluster: { server: undefined } }), /cluster c without a server\. Add it/],
    ['has a server that is null', kubeconfig({ cluster: { server: null } }), /cluster c without a server\. Add it/],
    [
      'has no cluster',
      { ...kubeconfig(), contexts: [{ name: 'dev', context: {} }] },
      /context dev that names no cluster/,
    ],
    ['has no context', { apiVersion: 'v1', kind: 'Config' }, /has no context\. Name another file/],
    [
      'has no current context',
      { ...kubeconfig(), 'current-context': '' },
      /sets no current-context\. It has: dev\. Name one/,
    ],
    [
      'names another context',
      { ...kubeconfig(), 'current-context': 'x' },
      /has no context x\. It has: dev\. Name one of them/,
    ],
    ['has no such cluster', { ...kubeconfig(), clusters: [] }, /has no cluster c, which its context dev names/],
    ['has no such user', { ...kubeconfig(), users: [] }, /has no user u, which its context dev names/],
    [
      'has another scheme',
      kubeconfig({ cluster: { server: 'ftp://api.test:6443' } }),
      /cluster c whose server is no http or https URL/,
    ],
    [
      'has a path without a scheme',
      kubeconfig({ cluster: { server: 'api.test:6443/path' } }),
      /cluster c whose server is no http or https URL/,
    ],
    [
      'has an authority that is no base64',
      kubeconfig({ cluster: { 'certificate-authority-data': 'SECRET!' } }),
      /certificate-authority of cluster c that is not usable PEM/,
    ],
    [
      'has an authority, and checks none',
      kubeconfig({
        cluster: { 'certificate-authority-data': base64(authority.certificate), 'insecure-skip-tls-verify': true },
      }),
      /cluster c with a certificate-authority and insecure-skip-tls-verify\. Remove one of them/,
    ],
    [
      'names a file that is missing',
      kubeconfig({ cluster: { 'certificate-authority': '/no/ca' } }),
      /names the file \/no\/ca as certificate-authority of cluster c, which cannot be read \(ENOENT\)/,
    ],
    [
      'has an authority that is none',
      kubeconfig({ cluster: { 'certificate-authority-data': base64('SECRET') } }),
      /certificate-authority of cluster c that is not usable PEM/,
    ],
    [
      'has half a client certificate',
      kubeconfig({ user: { 'client-certificate-data': base64(client.certificate) } }),
      /user u with only one of client-certificate and client-key/,
    ],
    [
      'has a key that is none',
      kubeconfig({
        user: { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64('SECRET') },
      }),
      /client-key of user u that is not usable PEM/,
    ],
    [
      'has a plugin without a command',
      kubeconfig({ user: { exec: { args: [] } } }),
      /user u whose exec names no command/,
    ],
    [
      'has a plugin of an unknown version',
      kubeconfig({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      /exec has an apiVersion other than/,
    ],
    [
      'has a plugin that needs a terminal',
      kubeconfig({
        user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' } },
      }),
      /needs a terminal/,
    ],
    [
      'has a plugin with odd arguments',
      kubeconfig({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', args: [1] } } }),
      /args that are no list of texts/,
    ],
    [
      'has a plugin with an odd environment',
      kubeconfig({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', env: [{}] } } }),
      /env that is no list of names and values/,
    ],
    ['is 200,000 brackets', '['.repeat(200_000), /is nested too deeply/],
    ['is 100,000 list marks', '- '.repeat(100_000), /is nested too deeply/],
    ['is 100,000 maps in one line', '{a: '.repeat(100_000), /is nested too deeply/],
    [
      'merges one map 30,000 times',
      `a: &a {x: SECRET}\n${Array.from({ length: 30_000 }, (_, n) => `k${n}: {<<: *a}\n`).join('')}`,
      /aliases that stand for too much/,
    ],
    [
      'merges 3,000 maps into each other',
      `a0: &a0 {x: 1}\n${Array.from({ length: 3_000 }, (_, n) => `a${n + 1}: &a${n + 1} {<<: *a${n}, y${n}: 1}\n`).join('')}`,
      /aliases that stand for too much/,
    ],
    ...['SECRET\nx', 'SECRETä', 'SECRET…'].map((token): [string, unknown, RegExp] => [
      `has the token ${JSON.stringify(token)}`,
      kubeconfig({ user: { token } }),
      /user u whose token has characters other than printable ASCII/,
    ]),
    ...[
      { command: 'SECRET\0' },
      { args: ['SECRET\0'] },
      { env: [{ name: 'A', value: 'SECRET\0' }] },
      { env: [{ name: 'SECRET\0', value: '' }] },
    ].map((fields): [string, unknown, RegExp] => [
      `has a NUL in ${Object.keys(fields)}`,
      kubeconfig({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', ...fields } } }),
      /user u whose exec has a NUL character in its command, args or env/,
    ]),
    ...[
      'user:SECRET@proxy.test:3128',
      'http://user:SECRET@',
      'http://user:SECRET@proxy.test:port',
      'http://user:SECRET%@proxy.test',
      'http://SECRET%zz@proxy.test',
      'http://user:SECRET@proxy.test\\x',
      'http://user:SEC RET@proxy.test',
      'http:///SECRET',
    ].map((proxy): [string, unknown, RegExp] => [
      `has the proxy-url ${proxy}`,
      kubeconfig({ cluster: { 'proxy-url': proxy } }),
      /cluster c whose proxy-url is no URL such as http:\/\/proxy\.example\.org:3128\. Correct it/,
    ]),
  ])('the error says where the file %s, without its content (R-1.24)', async (_, content, message) => {
    const file = await write(content);
    const error = await faultOf(load({ file }));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', message: expect.stringMatching(message) });
    expect(error.message).toContain(file);
    expect(`${error.stack}${String(error.cause)}`).not.toContain('SECRET');
  });

  it.each<[string, Parts, RegExp]>([
    [
      'an auth-provider',
      { user: { 'auth-provider': { name: 'oidc' } } },
      /an auth-provider, .* credential plugin \(exec\)/,
    ],
    ['a password', { user: { username: 'admin', password: 'SECRET' } }, /a user name and password/],
    ['impersonation', { user: { token: 'SECRET', as: 'admin' } }, /impersonation/],
    ['impersonation of groups', { user: { token: 'SECRET', 'as-groups': ['g'] } }, /impersonation/],
    [
      'a proxy of another kind',
      { cluster: { 'proxy-url': 'socks5://user:SECRET@proxy' } },
      /cluster c a proxy-url that is no http or https URL, which is not supported/,
    ],
  ])('a kubeconfig that asks for %s is refused and not used without it', async (_, parts, message) => {
    const error = await faultOf(connectionOf(parts));
    expect(error).toMatchObject({ code: 'KUBECONFIG_UNSUPPORTED', message: expect.stringMatching(message) });
    expect(error.message).not.toContain('SECRET');
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['a folder', async () => root, /cannot be read \(EISDIR\)/],
    ['below a file', async () => join(await write(kubeconfig()), 'config'), /cannot be read \(ENOTDIR\)/],
    ['of a name that is too long', async () => join(root, 'n'.repeat(300)), /cannot be read \(ENAMETOOLONG\)/],
    [
      'a link to itself',
      async () => {
        const link = join(root, 'loop');
        await symlink(link, link);
        return link;
      },
      /cannot be read \(ELOOP\)/,
    ],
  ])('the error names one of several files that is %s', async (_, unreadable, message) => {
    const path = await unreadable();
    const error = await faultOf(
      load({ environment: { KUBECONFIG: [path, await write(kubeconfig())].join(delimiter) } }),
    );
    expect(error).toMatchObject({ code: 'KUBECONFIG_UNREADABLE', message: expect.stringMatching(message) });
    expect(error.message).toContain(path);
  });

  it('a KUBECONFIG without a file does not fall back to the home directory', async () => {
    const home = join(root, 'home-of-none');
    await mkdir(join(home, '.kube'), { recursive: true });
    await writeFile(join(home, '.kube', 'config'), stringify(kubeconfig()));
    const environment = { KUBECONFIG: `${delimiter}${delimiter}`, HOME: home };
    await expect(load({ environment })).rejects.toMatchObject({ code: 'KUBECONFIG_MISSING' });
  });

  it.each<[string, () => string]>([
    ['lists that name each other', () => kubeconfigText(ALIAS_BOMB)],
    ['contexts that are a bomb', () => `${ALIAS_BOMB}\ncontexts: *x9\ncurrent-context: x\n`],
    ['a bomb in an extension', () => kubeconfigText(`${ALIAS_BOMB}\nextensions: [{name: x, extension: *x9}]`)],
    ['contexts inside themselves', () => 'contexts: &loop [*loop]\ncurrent-context: x\n'],
    ['an alias without an anchor', () => kubeconfigText('loop: *nowhere')],
    ['a hundred thousand levels', () => kubeconfigText(`deep: ${'['.repeat(100_000)}`)],
  ])('the error says where the file has %s', async (_, text) => {
    const file = await write(text());
    const error = await faultOf(load({ file }));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID' });
    expect(error.message).toContain(file);
    expect(error.message).toMatch(/alias|not YAML|contexts\[0\] is of a wrong type/);
  });

  it('the error lists the existing contexts when the named one is missing', async () => {
    const file = await write(kubeconfig());
    await expect(load({ file, context: 'prod' })).rejects.toThrow(
      `the kubeconfig ${file} has no context prod. It has: dev. Name one of them.`,
    );
  });
});
