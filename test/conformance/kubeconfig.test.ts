import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import {
  AUTHORITY_DATA,
  CLIENT_DATA,
  type GeneratedCase,
  generatedCases,
  writeCase,
} from '../adapters/kubernetes/connection/generated-kubeconfigs.ts';
import { type KubectlAnswer, type KubectlKubeconfig, kubectlKubeconfig } from '../real-apiserver/kubectl-kubeconfig.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** A connection in a form in which both can be compared. Absent fields are left out. */
type Summary = Record<string, unknown>;
type Resolved = { readonly connection: Summary } | { readonly refused: string };

let root: string;
let kubectl: KubectlKubeconfig;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'evenkeel-kubeconfigs-'));
  kubectl = await kubectlKubeconfig();
});

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** A known difference between the two, and its reason. Everything that is not listed here must be equal. */
interface Difference {
  readonly what: string;
  readonly why: string;
  /** The error message of the side that refuses. */
  readonly evenkeelRefuses?: RegExp;
  readonly kubectlRefuses?: RegExp;
  /** A case that shows the difference. The test fails when the difference no longer exists. */
  readonly example: GeneratedCase;
}

const server = 'https://api.test:6443';

function example(user: object | null, cluster: object = { server }, more: object = {}): GeneratedCase {
  const config = {
    clusters: [{ name: 'a', cluster }],
    users: user === null ? [] : [{ name: 'a', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
    ...more,
  };
  return { files: [config], byFlag: false };
}

const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin' };
const UNSUPPORTED = 'evenkeel does not support it, and a connection without it would act as somebody else';

const DIFFERENCES: readonly Difference[] = [
  {
    what: 'another user is asked for',
    why: UNSUPPORTED,
    evenkeelRefuses: /impersonation, which is not supported/,
    example: example({ token: 'x', as: 'somebody' }),
  },
  {
    what: 'an auth-provider',
    why: 'client-go has none left built in; kubectl refuses at the first request',
    evenkeelRefuses: /an auth-provider, which is not supported/,
    kubectlRefuses: /no Auth Provider found/,
    example: example({ 'auth-provider': { name: 'oidc' } }, { server: 'http://api.test' }),
  },
  {
    what: 'a user name and password',
    why: UNSUPPORTED,
    evenkeelRefuses: /a user name and password, which is not supported/,
    example: example({ username: 'admin', password: 'secret' }),
  },
  {
    what: 'a user name or password in the URL of the server',
    why: UNSUPPORTED,
    evenkeelRefuses: /a user name or password in its server, which is not supported/,
    example: example({ token: 'x' }, { server: 'https://name:password@api.test' }),
  },
  {
    what: 'a socks5 proxy',
    why: 'evenkeel does not support it, and would take another way without it',
    evenkeelRefuses: /a proxy-url that is no http or https URL, which is not supported/,
    example: example({ token: 'x' }, { server, 'proxy-url': 'socks5://proxy.test' }),
  },
  {
    what: 'a plugin that must have a terminal',
    why: 'evenkeel has none to give; kubectl refuses as well where it has none',
    evenkeelRefuses: /needs a terminal/,
    example: example({ exec: { ...plugin, interactiveMode: 'Always' } }),
  },
  {
    what: 'a user that is not there',
    why: 'kubectl goes on as nobody, which only shows as a refusal of the server',
    evenkeelRefuses: /has no user \w+, which its context \w+ names/,
    example: example(null),
  },
  {
    what: 'a key without a certificate',
    why: 'kubectl goes on as nobody',
    evenkeelRefuses: /with only one of client-certificate and client-key/,
    example: example({ 'client-key-data': CLIENT_DATA['client-key-data'] }),
  },
  {
    what: 'a file as client certificate or key that is none',
    why: 'kubectl reads it at the first connection, and refuses it then',
    evenkeelRefuses: /client-certificate or client-key of user \w+ that is not usable PEM/,
    example: example({ 'client-certificate': 'client.key', 'client-key': 'client.key' }),
  },
  {
    what: 'a server of another scheme',
    why: 'kubectl fails at the first request',
    evenkeelRefuses: /whose server is no http or https URL/,
    example: example({ token: 'x' }, { server: 'ftp://api.test' }),
  },
  {
    what: 'a context without a name as the current one',
    why: 'an entry without a name is nobody’s',
    evenkeelRefuses: /sets no current-context|has no context\. Name another/,
    example: {
      ...example({ token: 'x' }, { server }, { contexts: [{ context: { cluster: 'a' } }], 'current-context': '' }),
    },
  },
  {
    what: 'a certificate or key as data and as a file',
    why: 'the data counts, as the field’s documentation says',
    kubectlRefuses: /are both specified for/,
    example: example({ ...CLIENT_DATA, 'client-certificate': 'client.pem' }),
  },
  {
    what: 'a token file that cannot be read',
    why: 'evenkeel reads it at each use, and names it then',
    kubectlRefuses: /open .*nowhere: no such file/,
    example: example({ tokenFile: 'nowhere' }),
  },
  {
    what: 'a plugin without an interactiveMode, or with an unknown one',
    why: 'evenkeel never gives a plugin a terminal, so only Always matters',
    kubectlRefuses: /interactiveMode must be specified|invalid interactiveMode/,
    example: example({ exec: plugin }),
  },
  {
    what: 'data that is no base64, where nothing uses it',
    why: 'what is not used is not judged',
    kubectlRefuses: /illegal base64 data/,
    example: example(
      { token: 'x' },
      { server },
      {
        users: [
          { name: 'a', user: { token: 'x' } },
          { name: 'b', user: { 'client-key-data': '!' } },
        ],
      },
    ),
  },
  {
    what: 'fields of a wrong type that no connection depends on',
    why: 'what is not used is not judged',
    kubectlRefuses: /cannot unmarshal/,
    example: example({ token: 'x' }, { server }, { preferences: 7 }),
  },
  {
    what: 'an anchor inside itself, where nothing uses it',
    why: 'what is not used is not judged',
    kubectlRefuses: /anchor '.*' value contains itself/,
    example: {
      files: [
        `x: &x [*x]\nclusters: [{name: a, cluster: {server: "${server}"}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n`,
      ],
      byFlag: false,
    },
  },
  {
    what: 'a missing certificate authority of a server without TLS',
    why: 'what is not used is not judged',
    kubectlRefuses: /unable to read certificate-authority/,
    example: example({ token: 'x' }, { server: 'http://api.test', 'certificate-authority': 'missing.pem' }),
  },
  {
    what: 'incomplete credentials for a server without TLS',
    why: 'none are sent there, so none are judged',
    kubectlRefuses:
      /unable to read client-|client-key must be specified|to use exec authentication plugin|without impersonating a user/,
    example: example({ 'client-certificate': 'missing.pem' }, { server: 'http://api.test' }),
  },
];

async function resolvedBoth(wanted: GeneratedCase): Promise<{ ours: Resolved; theirs: Resolved }> {
  count += 1;
  const paths = await writeCase(join(root, String(count)), wanted);
  const named = wanted.byFlag ? { file: paths[0] } : { kubeconfig: paths.join(delimiter) };
  const theirs = await summaryOfKubectl(await kubectl.resolve({ ...named, context: wanted.context }));
  const ours = await summaryOfOurs({ ...named, context: wanted.context });
  return { ours, theirs };
}

async function summaryOfOurs(named: {
  file?: string | undefined;
  kubeconfig?: string;
  context?: string | undefined;
}): Promise<Resolved> {
  try {
    const { connection } = await loadKubeconfig({
      ...(named.file === undefined ? {} : { file: named.file }),
      ...(named.context === undefined ? {} : { context: named.context }),
      environment: { KUBECONFIG: named.kubeconfig },
      clock: new ManualClock(),
    });
    const { token, plugin: ourPlugin } = connection;
    return {
      connection: summary({
        server: normal(connection.server),
        authority: connection.certificateAuthority,
        tlsServerName: connection.tlsServerName,
        insecure: connection.insecureSkipTlsVerify,
        certificate: connection.clientCertificate?.certificate,
        key: connection.clientCertificate?.key,
        token: await token?.current().catch(() => 'none'),
        proxy: connection.proxy,
        runsPlugin: ourPlugin !== undefined,
      }),
    };
  } catch (error) {
    if (error instanceof EvenkeelError) return { refused: error.message };
    throw error;
  }
}

async function summaryOfKubectl(answer: KubectlAnswer): Promise<Resolved> {
  if ('error' in answer) return { refused: answer.error };
  const file = async (path: string | undefined) => (path ? await readFile(path, 'utf8') : undefined);
  const data = (text: string | undefined) => (text ? Buffer.from(text, 'base64').toString('utf8') : undefined);
  const { execCommand, token, tokenFile, certData, certFile } = answer;
  const proven = Boolean(token || tokenFile || certData || certFile);
  return {
    connection: summary({
      server: normal(answer.server),
      authority: data(answer.caData) ?? (await file(answer.caFile)),
      tlsServerName: answer.tlsServerName,
      insecure: answer.insecure,
      proxy: answer.proxy,
      certificate: data(certData) ?? (await file(certFile)),
      key: data(answer.keyData) ?? (await file(answer.keyFile)),
      token: (await file(tokenFile)) ?? token,
      runsPlugin: !proven && Boolean(execCommand),
      basicAuth: answer.basicAuth,
      authProvider: answer.authProvider,
      impersonates: answer.impersonates,
    }),
  };
}

function summary(all: Summary): Summary {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Boolean(value)));
}

/** Removes the query, which no request to an API server has, and the slash at the end. */
function normal(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * The listed difference between two results; undefined when they are equal. @throws Error when the difference is not
 * listed.
 */
function differenceOf({ ours, theirs }: { ours: Resolved; theirs: Resolved }): Difference | undefined {
  if ('refused' in ours && 'refused' in theirs) return undefined;
  if ('refused' in ours) return listed(ours.refused, ({ evenkeelRefuses }) => evenkeelRefuses, { ours, theirs });
  if ('refused' in theirs) return listed(theirs.refused, ({ kubectlRefuses }) => kubectlRefuses, { ours, theirs });
  expect(ours.connection).toEqual(theirs.connection);
  return undefined;
}

function listed(message: string, refusal: (difference: Difference) => RegExp | undefined, both: unknown): Difference {
  const found = DIFFERENCES.find((difference) => refusal(difference)?.test(message));
  if (found === undefined) throw new Error(`an unlisted difference: ${JSON.stringify(both, undefined, 2)}`);
  return found;
}

describe('R-6.3 a kubeconfig is read as kubectl reads it', () => {
  it('every kubeconfig gives the connection that kubectl would use, or is refused', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(generatedCases, async (wanted) => {
        const both = await resolvedBoth(wanted);
        differenceOf(both);
        if ('connection' in both.ours && 'connection' in both.theirs) compared += 1;
      }),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  it.each(DIFFERENCES.map((difference) => [difference.what, difference] as const))(
    'kubectl and evenkeel differ when it has %s',
    async (_, difference) => {
      expect(differenceOf(await resolvedBoth(difference.example))?.what).toBe(difference.what);
    },
  );

  it.each<[string, string]>([
    ['YAML 1.1 booleans', 'clusters: [{name: a, cluster: {server: "https://x", insecure-skip-tls-verify: yes}}]'],
    ['a boolean as a name', 'clusters: [{name: yes, cluster: {server: "https://x"}}]'],
    ['a number as a name', 'clusters: [{name: 1, cluster: {server: "https://x"}}]'],
    ['a name like a time of YAML 1.1', 'clusters: [{name: 12:30:45, cluster: {server: "https://x"}}]'],
    ['a name like a date', 'clusters: [{name: 2026-11-30, cluster: {server: "https://x"}}]'],
    ['a name like a timestamp', 'clusters: [{name: 2026-11-30T12:00:00Z, cluster: {server: "https://x"}}]'],
    ['a key that stands twice', 'clusters: [{name: a, cluster: {server: "https://x", server: "https://y"}}]'],
    ['a merge key', 'x: &x {server: "https://x"}\nclusters: [{name: a, cluster: {<<: *x, tls-server-name: y}}]'],
    ['an alias', 'x: &x {server: "https://x"}\nclusters: [{name: a, cluster: *x}]'],
    ['binary data', 'clusters: [{name: a, cluster: {server: !!binary aHR0cHM6Ly94}}]'],
    ['a folded text', 'clusters:\n- name: a\n  cluster:\n    server: >-\n      https://x'],
    ['a tilde for null', 'clusters: [{name: a, cluster: {server: "https://x", tls-server-name: ~}}]'],
    ['a second document', 'clusters: [{name: a, cluster: {server: "https://x"}}]\nMORE\n---\nclusters: []'],
    ['keys of another case', 'Clusters: [{Name: a, cluster: {server: "https://x"}}]'],
    ['an unknown field', 'unknown: {field: [1, 2]}\nclusters: [{name: a, cluster: {server: "https://x", more: 1}}]'],
    ['two entries of one name', 'clusters: [{name: a, cluster: {server: "https://x"}}, {name: a, cluster: {}}]'],
    ['a list in place of a mapping', 'clusters: {name: a}'],
    ['a byte order mark', '\uFEFFclusters: [{name: a, cluster: {server: "https://x"}}]'],
    ['another version', 'apiVersion: v2\nclusters: [{name: a, cluster: {server: "https://x"}}]'],
    ['another kind', 'kind: Secret\nclusters: [{name: a, cluster: {server: "https://x"}}]'],
    ['a tab', 'clusters:\n- name: a\n\tcluster: {}'],
  ])('a file with %s is read alike', async (_, text) => {
    const rest = 'contexts: [{name: z, context: {cluster: a}}]\ncurrent-context: z';
    const content = text.includes('MORE') ? text.replace('MORE', rest) : `${text}\n${rest}\n`;
    expect(differenceOf(await resolvedBoth({ files: [content], byFlag: true }))).toBeUndefined();
  });

  it.each(['JSON with tabs', 'JSON without spaces'])('a file of %s is read alike', async (form) => {
    const [config] = example({ token: 'x' }, { server, 'certificate-authority-data': AUTHORITY_DATA }).files;
    const content = JSON.stringify(config, undefined, form.endsWith('tabs') ? '\t' : undefined);
    const both = await resolvedBoth({ files: [content], byFlag: true });
    expect(differenceOf(both)).toBeUndefined();
    expect(both.ours).toHaveProperty('connection');
  });
});
