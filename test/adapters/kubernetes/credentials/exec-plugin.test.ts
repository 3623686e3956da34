import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ExecPlugin,
  execCredentials,
  PLUGIN_TIME_LIMIT_MS,
} from '../../../../lib/adapters/kubernetes/credentials/exec-plugin.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { certificateAuthority } from '../certificates.ts';

const V1 = 'client.authentication.k8s.io/v1';
const authority = certificateAuthority();
const client = authority.issue('admin');
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evenkeel-exec-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** A plugin that runs this JavaScript. */
function plugin(source: string, fields: Partial<ExecPlugin> = {}): ExecPlugin {
  return { command: process.execPath, args: ['-e', source], env: {}, apiVersion: V1, ...fields };
}

function credential(status: unknown, apiVersion = V1): string {
  return `console.log(${JSON.stringify(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))})`;
}

const environment = { PATH: process.env.PATH };

/** The ids of running processes whose command line holds the text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

describe('a credential plugin', () => {
  it('the plugin runs once for its token, until the token expires or is refused', async () => {
    const clock = new ManualClock();
    const runs = join(directory, 'runs');
    const expires = new Date(clock.now() + 600_000).toISOString();
    const count = `require('fs').appendFileSync(${JSON.stringify(runs)}, 'x');`;
    const source = execCredentials(
      plugin(count + credential({ token: 'tk', expirationTimestamp: expires })),
      clock,
      environment,
    );
    const runCount = async () => (await readFile(runs, 'utf8')).length;

    await expect(source.current()).resolves.toEqual({ token: 'tk' });
    clock.jump(530_000);
    await source.current();
    await expect(runCount()).resolves.toBe(1);
    clock.jump(65_000);
    await source.current();
    await expect(runCount()).resolves.toBe(2);
  });

  it('R-5.7 the plugin runs in the background in the last minute of its token, and nobody waits for it', async () => {
    const clock = new ManualClock();
    const runs = JSON.stringify(join(directory, 'runs-in-the-background'));
    const status = { expirationTimestamp: new Date(clock.now() + 600_000).toISOString() };
    const numbered = `require('fs').appendFileSync(${runs}, 'x');
      const token = 'run ' + require('fs').readFileSync(${runs}, 'utf8').length;
      const status = { ...${JSON.stringify(status)}, token };
      console.log(JSON.stringify({ apiVersion: ${JSON.stringify(V1)}, kind: 'ExecCredential', status }));`;
    const source = execCredentials(plugin(numbered), clock, environment);
    await source.current();
    clock.jump(541_000);
    await expect(source.current()).resolves.toEqual({ token: 'run 1' });
    await vi.waitFor(async () => expect(await source.current()).toEqual({ token: 'run 2' }), 30_000);
  });

  it('R-5.7 the previous token stays until it expires when the plugin fails', async () => {
    const clock = new ManualClock();
    const ran = JSON.stringify(join(directory, 'ran-once'));
    const expires = new Date(clock.now() + 600_000).toISOString();
    const once = `if (require('fs').existsSync(${ran})) process.exit(1); require('fs').writeFileSync(${ran}, '');`;
    const source = execCredentials(
      plugin(once + credential({ token: 'tk', expirationTimestamp: expires })),
      clock,
      environment,
    );
    await source.current();
    clock.jump(599_999);
    await expect(source.current()).resolves.toEqual({ token: 'tk' });
    clock.jump(1);
    await expect(source.current()).rejects.toThrow('exited with code 1');
  });

  it('a plugin whose token has no expiry runs again only after the token was refused', async () => {
    const clock = new ManualClock();
    const runs = join(directory, 'runs-endless');
    const count = `require('fs').appendFileSync(${JSON.stringify(runs)}, 'x');`;
    const source = execCredentials(plugin(count + credential({ token: 'tk' })), clock, environment);
    await source.current();
    clock.jump(86_400_000);
    await source.current();
    await expect(readFile(runs, 'utf8')).resolves.toBe('x');
    source.refused(await source.current());
    await source.current();
    await expect(readFile(runs, 'utf8')).resolves.toBe('xx');
  });

  it.each([
    ['alone', {}],
    ['with a token', { token: 'tk' }],
    ['with an empty token', { token: '' }],
    ['with a token that is null', { token: null, expirationTimestamp: null }],
  ])('R-6.3 the plugin returns a client certificate %s', async (_, more) => {
    const status = { clientCertificateData: client.certificate, clientKeyData: client.key, ...more };
    const source = execCredentials(plugin(credential(status)), new ManualClock(), environment);
    const token = 'token' in more && more.token ? { token: more.token } : {};
    await expect(source.current()).resolves.toEqual({ ...token, clientCertificate: client });
  });

  it('R-6.3 the plugin may take half a minute by default', () => {
    expect(PLUGIN_TIME_LIMIT_MS).toBeGreaterThan(30_000);
  });

  it('the plugin gets its request without a terminal, in its own environment', async () => {
    const seen = join(directory, 'seen');
    const note = `require('fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify([
      JSON.parse(process.env.KUBERNETES_EXEC_INFO), process.env.OWN, process.env.INHERITED, process.stdin.isTTY ?? false,
      require('fs').readFileSync(0, 'utf8')]));`;
    const run = plugin(note + credential({ token: 'tk' }, 'client.authentication.k8s.io/v1beta1'), {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      env: { OWN: 'a' },
      cluster: { server: 'https://api.test' },
    });
    await execCredentials(run, new ManualClock(), { ...environment, INHERITED: 'b', OWN: 'overridden' }).current();
    expect(JSON.parse(await readFile(seen, 'utf8'))).toEqual([
      {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        kind: 'ExecCredential',
        spec: { interactive: false, cluster: { server: 'https://api.test' } },
      },
      'a',
      'b',
      false,
      '',
    ]);
  });

  it.each<[string, Partial<ExecPlugin>, string, RegExp]>([
    [
      'fails',
      {},
      `console.log('SECRET'); console.error('SECRET'); process.exit(3)`,
      /exited with code 3\. Run it by hand/,
    ],
    ['is killed', {}, `process.kill(process.pid, 'SIGTERM')`, /was ended by SIGTERM/],
    [
      'is missing',
      { command: 'no-such-plugin-of-evenkeel' },
      '',
      /no-such-plugin-of-evenkeel was not found\. Install it/,
    ],
    ['writes too much', {}, `process.stdout.write('SECRET'.repeat(1_000_000))`, /wrote more than 1048576 bytes/],
    ['writes no JSON', {}, `console.log('SECRET {')`, /did not write an ExecCredential/],
    [
      'writes no status',
      {},
      `console.log('{"kind":"ExecCredential","token":"SECRET"}')`,
      /did not write an ExecCredential/,
    ],
    [
      'writes another kind',
      {},
      `console.log('{"kind":"Secret","apiVersion":"${V1}","status":{"token":"SECRET"}}')`,
      /did not write an ExecCredential/,
    ],
    ['answers in another version', {}, credential({ token: 'SECRET' }, `${V1}alpha1`), /another version than .*\/v1\./],
    ['gives nothing', {}, credential({}), /gave neither a token nor a client certificate/],
    [
      'gives a certificate without its key',
      {},
      credential({ clientCertificateData: 'SECRET' }),
      /gave only one of clientCertificateData and clientKeyData/,
    ],
    [
      'gives a key without its certificate',
      {},
      credential({ token: 'tk', clientKeyData: 'SECRET' }),
      /gave only one of clientCertificateData and clientKeyData/,
    ],
    [
      'gives a certificate that is none',
      {},
      credential({ clientCertificateData: 'SECRET', clientKeyData: 'SECRET' }),
      /gave a client certificate or key that is not usable PEM/,
    ],
    [
      'gives the key of another certificate',
      {},
      credential({ clientCertificateData: client.certificate, clientKeyData: authority.issue('SECRET').key }),
      /gave a client certificate or key that is not usable PEM/,
    ],
    ['gives no time', {}, credential({ token: 'SECRET', expirationTimestamp: 'soon' }), /that is no time/],
    [
      'has a NUL in an argument',
      { args: ['SECRET\0x'] },
      '',
      /its command, an argument or its environment holds a NUL/,
    ],
    ['has a NUL in its command', { command: 'SECRET-free\0'.slice(7) }, '', /holds a NUL/],
    ['has a NUL in its environment', { env: { OWN: 'SECRET\0' } }, '', /holds a NUL/],
    [
      'is told of a cluster larger than an environment may be',
      { cluster: { 'certificate-authority-data': 'SECRET'.repeat(1_000_000) } },
      '',
      /its arguments and environment are too large \(E2BIG\)\. Remove provideClusterInfo/,
    ],
    ['has an argument that is too large', { args: ['SECRET'.repeat(1_000_000)] }, '', /are too large \(E2BIG\)/],
    [
      'gives a token of two lines',
      {},
      credential({ token: 'SECRET\nx' }),
      /a token with characters other than printable/,
    ],
    [
      'gives a token beyond Latin-1',
      {},
      credential({ token: 'SECRET…' }),
      /a token with characters other than printable/,
    ],
    ['gives a token with a letter of Latin-1', {}, credential({ token: 'SECRETä' }), /other than printable ASCII/],
  ])('R-6.4 a plugin that %s is named, without its output (R-1.24)', async (_, fields, source, message) => {
    const error: unknown = await execCredentials(plugin(source, fields), new ManualClock(), environment)
      .current()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE', message: expect.stringMatching(message) });
    const shown = error as Error;
    expect(`${shown.stack}${String(shown.cause)}`).not.toContain('SECRET');
    expect(shown.message).toContain('the credential plugin ');
  });

  it('R-6.4 a plugin that hangs is ended, and named', async () => {
    const command = join(directory, 'hangs');
    await writeFile(command, '#!/bin/sh\nexec sleep 600\n', { mode: 0o700 });
    const source = execCredentials(plugin('', { command, args: [] }), new ManualClock(), environment, 100);
    await expect(source.current()).rejects.toThrow(`${command} did not end within 0.1 s. Run it by hand to see why.`);
  });

  it.each([1, 3, 20])('R-5.18 the plugin returns its token when it writes %i MiB to its error output', async (mib) => {
    const noise = `require('fs').writeSync(2, 'x'.repeat(${mib} * 1024 * 1024 + 1));`;
    const source = execCredentials(plugin(noise + credential({ token: 'tk' })), new ManualClock(), environment);
    await expect(source.current()).resolves.toEqual({ token: 'tk' });
  });

  it.skipIf(process.platform !== 'linux').each([
    ['a shell waits for', 'sleep 600; true'],
    ['a shell left in the background', 'sleep 600 & wait'],
    ['a shell started by a shell waits for', "sh -c 'sleep 600; true'; true"],
  ])('R-6.4 a plugin that hangs is ended together with a program that %s', async (_, script) => {
    const mark = `6${process.pid}`;
    const source = execCredentials(
      plugin('', { command: 'sh', args: ['-c', script.replaceAll('600', mark)] }),
      new ManualClock(),
      environment,
      300,
    );
    await expect(source.current()).rejects.toThrow('did not end within 0.3 s');
    await vi.waitFor(() => expect(processesWith(`sleep\0${mark}`)).toEqual([]));
  });

  it('a plugin that may not be executed is named', async () => {
    const command = join(directory, 'not-executable');
    await writeFile(command, '#!/bin/sh\n', { mode: 0o600 });
    await expect(execCredentials(plugin('', { command }), new ManualClock(), environment).current()).rejects.toThrow(
      `${command} may not be executed. Check its permissions.`,
    );
  });
});
