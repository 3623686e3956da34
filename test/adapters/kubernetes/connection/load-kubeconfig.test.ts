import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
/** Writes a kubeconfig into a directory of its own; a text as it is. */
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
  it('has the server, its authority and a token', async () => {
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

  it.each([
    ['http://evenkeel:secret@127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://secret@api.test/base/', 'https://api.test/base/'],
    ['https://a:b%40c@api.test:6443/', 'https://api.test:6443/'],
  ])('R-1.24 shows no credential of the address when it is %s', async (server, shown) => {
    expect((await connectionOf({ cluster: { server } })).server).toBe(shown);
  });

  it('is anonymous without a user', async () => {
    const config = { ...kubeconfig(), users: [], contexts: [{ name: 'dev', context: { cluster: 'c' } }] };
    const { connection } = await load({ file: await write(config) });
    expect(connection).toEqual({ server: 'https://api.test:6443' });
  });

  it('has a client certificate, as data or from files beside the kubeconfig', async () => {
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

  it('reads a token file beside the kubeconfig again and again, before a token', async () => {
    const file = await write(kubeconfig({ user: { tokenFile: 'token', token: 'old' } }));
    await writeFile(join(file, '..', 'token'), 'first');
    const { token } = (await load({ file })).connection;
    expect(token?.kind).toBe('file');
    await expect(token?.current()).resolves.toBe('first');
    await writeFile(join(file, '..', 'token'), 'second');
    token?.refused('first');
    await expect(token?.current()).resolves.toBe('second');
  });

  it('runs a credential plugin, one with a relative path from beside the kubeconfig, on first use only', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      args: ['--for', 'dev'],
      env: [{ name: 'PREFIX', value: 'tk' }],
      interactiveMode: 'IfAvailable',
      provideClusterInfo: true,
    };
    const file = await write(kubeconfig({ user: { exec } }));
    const { token } = (await load({ file, environment: { PATH: process.env.PATH } })).connection;
    expect(token?.kind).toBe('exec');
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
    await expect(token?.current()).resolves.toBe('tk --for dev https://api.test:6443');
  });

  it('skips the check of the certificate only when the kubeconfig says so', async () => {
    await expect(connectionOf({ cluster: { 'insecure-skip-tls-verify': true } })).resolves.toMatchObject({
      insecureSkipTlsVerify: true,
    });
  });
});

describe('R-6.3 the kubeconfig that is loaded', () => {
  it('is the named one, else that of KUBECONFIG, else that in the home directory', async () => {
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

  it('may be spread over several files, of which the first to say something wins and missing ones do not count', async () => {
    const first = await write({ ...kubeconfig({ user: { token: 'first' } }), 'current-context': '', contexts: [] });
    const second = await write(kubeconfig({ user: { token: 'second' } }));
    const environment = { KUBECONFIG: [join(root, 'missing'), first, second].join(delimiter) };
    const loaded = await load({ environment });
    expect(loaded).toMatchObject({ context: 'dev', file: second });
    await expect(loaded.connection.token?.current()).resolves.toBe('first');
  });

  it('gives another context when asked for it by name', async () => {
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
  ])('because it %s is named', async (_, options, message) => {
    await expect(load(options)).rejects.toMatchObject({
      code: 'KUBECONFIG_MISSING',
      message: expect.stringMatching(message),
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['is no YAML', 'users:\n  - token: SECRET\n  bad: [', /is not YAML: see line \d+, column \d+\. Correct it/],
    ['is empty', '', /holds no kubeconfig\. Name another file/],
    ['is a text', 'SECRET', /holds no kubeconfig\. Name another file/],
    [
      'lacks a name',
      { ...kubeconfig(), users: [{ user: { token: 'SECRET' } }] },
      /is incomplete: users\[0\]\.name is missing/,
    ],
    ['lacks a server', kubeconfig({ cluster: { server: undefined } }), /clusters\[0\]\.cluster\.server is missing/],
    ['has no context', { apiVersion: 'v1', kind: 'Config' }, /sets no current-context\. It has none\./],
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
      'has no URL',
      kubeconfig({ cluster: { server: 'api.test:6443' } }),
      /cluster c whose server is no http or https URL/,
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
  ])('because it %s says so and where, without its content (R-1.24)', async (_, content, message) => {
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
      'a proxy',
      { cluster: { 'proxy-url': 'http://user:SECRET@proxy' } },
      /cluster c a proxy-url, which is not supported/,
    ],
  ])('because it asks for %s is refused rather than used without', async (_, parts, message) => {
    const error = await faultOf(connectionOf(parts));
    expect(error).toMatchObject({ code: 'KUBECONFIG_UNSUPPORTED', message: expect.stringMatching(message) });
    expect(error.message).not.toContain('SECRET');
  });

  it('because a named context is missing lists those that are there', async () => {
    const file = await write(kubeconfig());
    await expect(load({ file, context: 'prod' })).rejects.toThrow(
      `the kubeconfig ${file} has no context prod. It has: dev. Name one of them.`,
    );
  });
});
