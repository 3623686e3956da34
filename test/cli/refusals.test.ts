import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { COMMANDS } from '../../cli/commands.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { kubeconfigOf, placeOf } from '../../cli/wiring.ts';
import type { EvenkeelError } from '../../lib/core/errors.ts';
import { Namespaces } from '../../lib/core/resource-type.ts';
import { createInstallation } from '../../lib/deployment/installation/installation.ts';
import { clusterUnusable } from '../../lib/deployment/kubernetes/cluster-unusable.ts';
import { defaultSettings } from '../../lib/deployment/settings/load-settings.ts';
import { ApiError, type ApiErrorReason } from '../../lib/ports/cluster-api.ts';
import { World } from '../../lib/testing/world.ts';
import { certificateAuthority } from '../adapters/kubernetes/certificates.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-cli-'));
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'KUBECONFIG', 'HOME']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Runs a command line; `@name` stands for a file in the test's folder. */
async function run(...words: string[]) {
  const terminal = new RecordedTerminal();
  const args = words.map((word) => (word.startsWith('@') ? join(folder, word.slice(1)) : word));
  const code = await runCommandLine(args, terminal, COMMANDS, () => 'unforeseen');
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

const OWN_REALM =
  "groups: {control-plane: {identity: {server: 'https://id.example.org', realms: [{namespaces: [a], realms: [master], redirectHosts: []}]}}}";

describe('what a person gets wrong', () => {
  it.each([
    [['start', '--settings', '@none.yaml'], 1, 'none.yaml: there is no such file'],
    [
      ['start', '--settings', '@bad.yaml'],
      1,
      'bad.yaml:2:3: intervals.swep: there is no such setting. Did you mean "sweep"?',
    ],
    [
      ['start', '--settings', '@key.yaml'],
      1,
      'none.key, which groups.secret-contract.mutation.digestKeyFile names, cannot be read',
    ],
    [['start', '--settings', '@short-key.yaml'], 1, 'short.key holds fewer than 16 bytes'],
    [['start', '--port', '70000'], 2, '--port cannot be "70000"'],
    [['start', '--port', '-1'], 2, '--port needs a value'],
    [['start', '--parts', 'worker,sweap'], 2, '"sweap" is no part. Did you mean "sweep"?'],
    [['start', '--parts', 'worker', '--state-dir', '@empty'], 1, 'nothing runs from'],
    [['start', '--state-dir', '@bad.yaml'], 1, 'cannot be used as the state directory'],
    [['start', '--context', 'prod', '--port', '1'], 2, '--port is for the embedded API server'],
    [['start', '--take-over'], 2, '--take-over is for a real cluster'],
    [['start', '--install-crds'], 2, '--install-crds is for a real cluster'],
    [['start', '--parts', 'worker', '--empty'], 2, '--empty belongs to the part "stack"'],
    [['start', '--parts', 'worker', '--controllers', '@a.js'], 2, '--controllers belongs to the part "stack"'],
    [['start', '--controllers', '@none.js'], 1, 'none.js: there is no such file'],
    [['start', '--controllers', '@none.js,@other.js'], 1, 'none.js: there is no such file'],
    [['uninstall', '--kubeconfig', '@kubeconfig', '--controllers', '@none.js'], 1, 'none.js: there is no such file'],
    [['start', '--kubeconfig', '@none'], 1, 'none cannot be read (ENOENT)'],
    [['start', '--kubeconfig', '@bad.yaml'], 1, 'bad.yaml'],
    [['start', '--kubeconfig', '@kubeconfig', '--context', 'prod'], 1, 'has no context prod. It has: here, plugin.'],
    [['start', '--context', 'prod'], 1, 'no kubeconfig was named, and neither KUBECONFIG nor HOME is set'],
    [['start', '--kubeconfig-out', '@no/such/file'], 1, 'cannot be written to'],
    [['explain', 'secon/default/web', '--state-dir', '@empty'], 1, 'nothing runs from'],
    [['plan', '--state-dir', '@empty'], 1, 'name another folder with --state-dir, or name a cluster with --context.'],
    [['capture', 'web', '--state-dir', '@empty'], 1, 'or name a cluster with --context.'],
    [['manifests', '--out', '@out', '--controllers', '@folder'], 1, 'Name the file in it that exports the controllers'],
    [['manifests', '--out', '@out', '--controllers', '@notes.txt'], 1, 'Name a module whose name ends with .ts'],
    [['manifests', '--out', '@out', '--controllers', '@lone.ts'], 1, 'Run npm install no-such-package in the project'],
    [['container', '--controllers', '@notes.txt'], 2, 'give --out DIR.'],
    [['container', '--out', '@out', '--controllers', '@notes.txt'], 1, 'Name a module whose name ends with .ts'],
    [['container', '--out', '@folder/..'], 1, 'holds other files than those of an image, and would be replaced'],
    [['list', '--stage', 'prod'], 1, 'no AWS region is set. Set AWS_REGION'],
    [
      ['start', '--in-cluster'],
      1,
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod',
    ],
    [['start', '--in-cluster', '--context', 'prod'], 2, '--in-cluster uses the cluster of this pod'],
    [['start', '--in-cluster', '--port', '1'], 2, '--port is for the embedded API server'],
    [['start', '--parts', 'worker', '--in-cluster'], 2, '--in-cluster belongs to the part "stack"'],
    [['start', '--probes', '8080'], 2, 'It takes an address and a port, such as 0.0.0.0:8080.'],
    [['start', '--probes', '127.0.0.1:70000'], 2, '--probes cannot be "127.0.0.1:70000"'],
    [['start', '--metrics-token', '@none'], 2, '--metrics-token is for the metrics at the address of --probes'],
    [
      ['start', '--probes', '127.0.0.1:0', '--metrics-token', '@none'],
      1,
      'none, which --metrics-token names, cannot be',
    ],
    [['start', '--probes', '127.0.0.1:0', '--metrics-token', '@short.key'], 1, 'holds fewer than 16 characters'],
    [['uninstall'], 2, 'name the cluster to leave with --context'],
    [
      ['uninstall', '--kubeconfig', '@kubeconfig', '--settings', '@own-realm.yaml'],
      1,
      'the API server could not be reached',
    ],
    [['start', '--settings', '@own-realm.yaml'], 1, "is the realm of evenkeel's own service account"],
  ])('R-6.4 evenkeel %j ends with %i and says what to do', async (words, code, message) => {
    writeFileSync(join(folder, 'bad.yaml'), 'intervals:\n  swep: 1m\n');
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'notes.txt'), 'controllers\n');
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'lone.ts'), "import { z } from 'no-such-package';\nexport const schema = z;\n");
    writeFileSync(join(folder, 'own-realm.yaml'), OWN_REALM);
    writeFileSync(join(folder, 'key.yaml'), mutationSettings('none.key'));
    writeFileSync(join(folder, 'short-key.yaml'), mutationSettings('short.key'));
    writeFileSync(join(folder, 'short.key'), 'hunter2\n');
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig('http://127.0.0.1:1'));
    const options = words[0] === 'start' && !words.includes('--state-dir') ? ['--state-dir', '@state'] : [];
    const finished = await run(...words, ...options);
    expect(finished.err).toContain(message);
    expect(finished).toMatchObject({ code, out: '' });
    expect(finished.err).not.toMatch(/hunter2|unforeseen/);
  });

  it.each([
    ['unreachable', 'here', 'the API server could not be reached: ECONNREFUSED. Does the server run'],
    ['whose exec plugin fails', 'plugin', 'no-such-plugin'],
  ])('R-6.4 a cluster that is %s is refused with the address that was tried', async (_title, context, message) => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(`https://127.0.0.1:${port}`));
    const finished = await run('start', '--kubeconfig', '@kubeconfig', '--context', context, '--state-dir', '@state');
    expect(finished.code).toBe(1);
    expect(finished.err).toContain(message);
    expect(finished.err).not.toContain('unforeseen');
  });
});

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
};

describe('a cluster that cannot be used', () => {
  it.each([
    [401, 'It is asked by http: without TLS, and so without credentials. If it speaks TLS, begin the server in '],
    [403, 'It is asked by http: without TLS, and so without credentials.'],
    [429, 'Try again later.'],
    [503, 'Try again later.'],
    [200, 'It is asked by http: without TLS, and so without credentials.'],
  ])('R-6.4 an API server that answers %i is named with what to do, and not quoted', async (status, advice) => {
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: REASONS[status], code: status };
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 200 ? '<p>hunter2</p>' : JSON.stringify({ ...body, message: 'hunter2' }));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(`http://127.0.0.1:${port}`));
    const finished = await run('start', '--kubeconfig', '@kubeconfig', '--state-dir', '@state');
    await new Promise((resolve) => server.close(resolve));
    expect(finished).toMatchObject({ code: 1, out: '' });
    expect(finished.err).toContain(`context here (http://127.0.0.1:${port})`);
    expect(finished.err).toContain(advice);
    expect(finished.err).not.toContain('hunter2');
  });

  it('R-6.4 the error names http when a server that speaks TLS was called by http', async () => {
    const { certificate, key } = certificateAuthority().issue('localhost', ['localhost', '127.0.0.1']);
    const server = createTlsServer({ cert: certificate, key }, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const address of [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      writeFileSync(join(folder, 'kubeconfig'), kubeconfig(address));
      const finished = await run('start', '--kubeconfig', '@kubeconfig', '--state-dir', '@state');
      expect(finished.code).toBe(1);
      expect(finished.err).toContain('If it speaks TLS, begin the server in ');
    }
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[ApiErrorReason, boolean, string]>([
    [
      'Unauthorized',
      false,
      "Its credentials were refused. Renew them until kubectl --kubeconfig '/a b/config' --context here auth whoami works.",
    ],
    [
      'Unauthorized',
      true,
      "No credentials were sent, for context here names no user with any. Set one with: kubectl --kubeconfig '/a b/config' --context here config set-context here --user NAME",
    ],
    ['Forbidden', true, 'No credentials were sent, for context here names no user with any.'],
    ['Forbidden', false, 'Use a user with the roles of infra/kubernetes/roles'],
    [
      'Unreachable',
      true,
      "Does the server run, and does kubectl --kubeconfig '/a b/config' --context here version reach it?",
    ],
    ['Malformed', false, "See what kubectl --kubeconfig '/a b/config' --context here get --raw /version answers."],
    ['TooManyRequests', true, 'Try again later.'],
    ['ServerError', false, 'Try again later.'],
    ['Timeout', false, "Does the server run, and does kubectl --kubeconfig '/a b/config' --context here version"],
  ])('R-6.4 an answer %s has its advice when the context is anonymous: %s', (reason, isAnonymous, advice) => {
    const place = { context: 'here', file: '/a b/config', server: 'https://there', isAnonymous };
    const told = clusterUnusable(new ApiError(reason, 'GET /version was refused'), place) as EvenkeelError;
    expect(told.message).toContain(`context here (https://there): GET /version was refused. ${advice}`);
  });

  it.each([
    ['a user of no name', { user: '' }, true],
    ['no user', {}, true],
    ['a user with nothing', { user: 'bare' }, true],
    ['a user with a token', { user: 'known' }, false],
    ['a user with a client certificate', { user: 'certified' }, false],
    ['a user with a credential plugin', { user: 'plugin' }, false],
  ])('R-6.4 a context is anonymous when it names %s', async (_, named, isAnonymous) => {
    const file = join(folder, 'anonymous');
    const { certificate, key } = certificateAuthority().issue('admin');
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const certified = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'never', interactiveMode: 'Never' };
    writeFileSync(
      file,
      stringify({
        'current-context': 'here',
        contexts: [{ name: 'here', context: { cluster: 'c', ...named } }],
        clusters: [{ name: 'c', cluster: { server: 'https://there' } }],
        users: [
          { name: 'bare', user: {} },
          { name: 'known', user: { token: 't' } },
          { name: 'certified', user: certified },
          { name: 'plugin', user: { exec } },
        ],
      }),
    );
    expect(placeOf(await kubeconfigOf({ file }))).toEqual({
      file,
      context: 'here',
      server: 'https://there',
      isAnonymous,
    });
  });

  it('R-5.16 another cluster behind a registered name is refused', async () => {
    const world = new World({ controllers: [] });
    const { store, wakes, user: api, clock, entropy, logger, metrics, registry } = world;
    const ports = { store, queues: {}, wakes, api, clock, entropy, logger, metrics };
    const options = { settings: defaultSettings(), registry, owner: 'o', deployment: 'd' };
    const installation = createInstallation(ports, options);
    const kubeSystem = { namespace: '', name: 'kube-system' };
    await installation.api.get(Namespaces, kubeSystem);
    await store.pinClusterUid('other', 'registered-uid');
    const other = createInstallation(ports, { ...options, settings: { ...defaultSettings(), cluster: 'other' } });
    const error: unknown = await other.api.get(Namespaces, kubeSystem).catch((caught: unknown) => caught);
    expect(
      clusterUnusable(error, { context: 'here', file: 'f', server: 'https://there', isAnonymous: false }),
    ).toMatchObject({
      code: 'CLUSTER_IDENTITY_MISMATCH',
      message: expect.stringMatching(
        /^context here \(https:\/\/there\): another cluster than the one registered as other answers .* and registered-uid is registered\. Correct the connection; [^.]*\.$/,
      ),
    });
  });
});

function mutationSettings(digestKeyFile: string): string {
  return stringify({ groups: { 'secret-contract': { mutation: { allow: true, digestKeyFile } } } });
}

function kubeconfig(server: string): string {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'no-such-plugin',
    interactiveMode: 'Never',
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'one', cluster: { server } }],
    users: [
      { name: 'nobody', user: {} },
      { name: 'plugin', user: { exec } },
    ],
    contexts: [
      { name: 'here', context: { cluster: 'one', user: 'nobody' } },
      { name: 'plugin', context: { cluster: 'one', user: 'plugin' } },
    ],
    'current-context': 'here',
  });
}
