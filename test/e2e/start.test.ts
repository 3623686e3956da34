import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../cli/inspection/explanation.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

/** The addresses that a process listens on, as hex of /proc/net/tcp. */
function listeningAddresses(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        // Closed since it was listed.
        return [];
      }
    }),
  );
  const LISTEN = '0A';
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN && sockets.has(fields[9] ?? ''))
      .map((fields) => fields[1]?.split(':')[0] ?? ''),
  );
}

describe('evenkeel start', () => {
  it('R-6.1 is ready without any other set-up, reconciles the examples, explains them, and stops without a trace', async () => {
    await using folder = new EvenkeelFolder();
    const started = await folder.start();
    expect(await started.line(/^ready/)).toMatch(
      /^ready: API server https:\/\/127\.0\.0\.1:\d+, kubeconfig \.evenkeel\/kubeconfig, metrics http:\/\/127\.0\.0\.1:\d+\/metrics, console http:\/\/127\.0\.0\.1:\d+\/\?token=\S+$/,
    );
    await using contracts = await Contracts.connect(folder.kubeconfig);
    await contracts.becomes('checkout-database', 'True AllSatisfied');
    await started.line(
      /SecretContract default\/checkout-database .*: (settled|checkAt), Ready True AllSatisfied \(\d+ ms, 1 write\); next on a change/,
    );

    const LOOPBACK = '0100007F';
    expect(new Set(listeningAddresses(started.pid))).toEqual(new Set([LOOPBACK]));
    for (const file of ['kubeconfig', 'token', 'run.json', 'evenkeel.db']) {
      expect(statSync(join(folder.path, '.evenkeel', file)).mode & 0o777).toBe(0o600);
    }

    for (const name of ['payment-api', 'web-session']) await contracts.becomes(name, 'True AllSatisfied');
    await started.line(/SecretContract shop\/smtp .*Ready True AllSatisfied/);
    const listed = await folder.run(['list', '-o', 'json']);
    const { items } = JSON.parse(listed.out) as { items: { name: string; failures: number }[] };
    expect(items.map(({ name, failures }) => [name, failures])).toEqual([
      ['checkout-database', 0],
      ['payment-api', 0],
      ['web-session', 0],
      ['smtp', 0],
    ]);
    const explained = await folder.run(['explain', 'secon/default/checkout-database', '-o', 'json']);
    const [explanation] = (JSON.parse(explained.out) as { items: Explanation[] }).items;
    expect(explanation).toMatchObject({
      kind: 'secretcontracts.evenkeel.dev',
      name: 'checkout-database',
      state: 'idle',
      failures: 0,
      reads: expect.arrayContaining([expect.objectContaining({ kind: 'secrets', name: 'checkout-database' })]),
    });

    const requeued = await folder.run(['requeue', 'secretcontracts/default/checkout-database']);
    expect(requeued).toMatchObject({ code: 0, out: expect.stringContaining('requested a pass of') });
    await started.line(/SecretContract default\/checkout-database {2}requested: .*no write/);

    const metrics = /metrics (\S+),/.exec(await started.line(/^ready/))?.[1] ?? '';
    const headers = { authorization: `Bearer ${readFileSync(join(folder.path, '.evenkeel/token'), 'utf8')}` };
    expect((await fetch(metrics)).status).toBe(401);
    expect(await (await fetch(metrics, { headers })).text()).toContain(
      'evenkeel_object_ready{cluster="local",kind="secretcontracts.evenkeel.dev",namespace="default",name="checkout-database"} 1',
    );

    const finished = await started.stop('SIGINT');
    expect(finished.code).toBe(0);
    expect(finished.err).not.toMatch(/error:|internal error/);
    await expect(fetch(metrics)).rejects.toThrow();
    expect(await folder.run(['list'])).toMatchObject({ code: 1, err: expect.stringContaining('nothing runs from') });
    expect(readdirSync(join(folder.path, '.evenkeel')).sort()).toEqual(['evenkeel.db', 'kubeconfig']);
  });

  it('R-1.24 its output contains no value of a Secret', async () => {
    await using folder = new EvenkeelFolder();
    const started = await folder.start(['--empty', '-v']);
    await using contracts = await Contracts.connect(folder.kubeconfig);
    await contracts.createSecret('web', { password: 'hunter2-hunter2' });
    await contracts.createContract('web', ['password', 'missing']);
    await contracts.becomes('web', 'False KeyMissing');
    const explained = await folder.run(['explain', 'secon/default/web', '-o', 'json']);
    const { out, err } = await started.stop();
    for (const text of [out, err, explained.out]) {
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(Buffer.from('hunter2-hunter2').toString('base64'));
    }
  });

  it('R-6.4 a second start in the folder names the process that runs there; in another folder it runs on other ports', async () => {
    await using folder = new EvenkeelFolder();
    const first = await folder.start(['--empty']);
    const second = await folder.run(['start', '--empty']);
    expect(second.code).toBe(1);
    expect(second.err).toContain(`already, with process id ${first.pid}. Stop it`);
    expect(second.err).toContain('--state-dir DIR');
    await folder.start(['--empty', '--state-dir', 'other', '--kubeconfig-out', 'mine.kubeconfig']);
    expect(readFileSync(join(folder.path, 'mine.kubeconfig'), 'utf8')).toMatch(/server: https:\/\/127\.0\.0\.1:\d+/);
  });

  it('R-6.4 a port in use is named, and nothing is left behind', async () => {
    await using folder = new EvenkeelFolder();
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const { port } = blocker.address() as AddressInfo;
    const failed = await folder.run(['start', '--port', String(port)]);
    writeFileSync(join(folder.path, 'settings.yaml'), `metrics: {port: ${port}}\n`);
    const metricsFailed = await folder.run(['start', '--settings', 'settings.yaml']);
    blocker.close();
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(`port ${port} of 127.0.0.1, wanted for the API server, is in use. Use another port`);
    expect(metricsFailed.code).toBe(1);
    expect(metricsFailed.err).toContain(`port ${port} of 127.0.0.1, wanted for the metrics, is in use`);
    const again = await folder.start(['--empty', '--port', String(port)]);
    expect(await again.line(/^ready/)).toContain(`https://127.0.0.1:${port}`);
  });

  it('the state of a process that was killed hinders nobody', async () => {
    await using folder = new EvenkeelFolder();
    const first = await folder.start(['--empty']);
    await first.kill();
    await folder.start(['--empty']);
  });

  it('R-6.4 a command that fails prints only to standard error, without a stack, and its exit code shows the reason', async () => {
    await using folder = new EvenkeelFolder();
    const misread = await folder.run(['strat']);
    expect(misread).toEqual({ code: 2, out: '', err: expect.stringMatching(/^evenkeel: there is no command "strat"/) });
    const failed = await folder.run(['explain', 'secon/default/web']);
    expect(failed).toEqual({ code: 1, out: '', err: expect.stringMatching(/^evenkeel: nothing runs from [^\n]*$/) });
  });

  it('R-6.7 a paused deployment runs no pass until it is started unpaused', async () => {
    await using folder = new EvenkeelFolder();
    writeFileSync(join(folder.path, 'settings.yaml'), 'paused: true\n');
    const paused = await folder.start(['--settings', 'settings.yaml']);
    await paused.line(/SecretContract default\/checkout-database .*: put off/);
    await using contracts = await Contracts.connect(folder.kubeconfig);
    expect(await contracts.ready('checkout-database')).toBeUndefined();
  });

  it('R-6.7 only the namespaces and labels of the settings are reconciled', async () => {
    await using folder = new EvenkeelFolder();
    writeFileSync(join(folder.path, 'settings.yaml'), 'scope: {namespaces: [shop]}\n');
    const started = await folder.start(['--settings', 'settings.yaml']);
    await started.line(/SecretContract shop\/smtp /);
    const listed = await eventually('a listed contract', async () => {
      const { out } = await folder.run(['list']);
      return out.includes('smtp') ? out : undefined;
    });
    expect(listed).not.toContain('checkout-database');
  });
});
