import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { relayVariablesParameter } from '../../../lib/deployment/cloud/cloud-names.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { RelayImage } from '../support/relay-image.ts';
import { type Deployed, right } from './deployed.ts';

/** Forbids the code to write files, like a read-only root file system, and to start processes. */
const READ_ONLY = ['--permission', '--allow-fs-read=*'];

/** Runs as the image's user, if the user who runs the tests may switch to it. */
function unprivileged({ userId, groupId }: RelayImage): string[] {
  if (process.getuid?.() !== 0) return [];
  const script = `process.setgroups([]);process.setgid(${groupId});process.setuid(${userId})`;
  return ['--import', `data:text/javascript,${script}`];
}

const CLUSTERS = ['east', 'west'];

/** The same relay as a process. */
export function relayContainer(deployed: () => Deployed): void {
  it('R-5.5 R-5.7 the relay as its image runs it, without privileges and without writing a file, takes over from a function that died, and gives its leases back', async () => {
    const { world, east, west } = deployed();
    using image = await RelayImage.build(world.copy);
    expect(image.userId).toBeGreaterThan(0);
    const { Variables } = await world.functionEnvironment('relay');
    await world.putParameter(relayVariablesParameter(STAGE), JSON.stringify(Variables));
    const before = await Promise.all(CLUSTERS.map((name) => world.relayHold(name)));
    const [program, ...args] = image.command;
    expect(program).toBe('node');
    const child = spawn(process.execPath, [...READ_ONLY, ...unprivileged(image), ...args], {
      cwd: image.folder,
      env: { ...world.copy.environment(), ...image.environment, EVENKEEL_STAGE: STAGE, EVENKEEL_PROBE_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    try {
      const probes = await eventually('probes', async () => /"probes":"(http:[^"]+)"/.exec(output)?.[1]);
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      expect(/^Uid:\t(\d+)/m.exec(status)?.[1]).not.toBe('0');
      await eventually('readiness', async () => ((await fetch(`${probes}/ready`)).ok ? true : undefined));
      expect((await fetch(`${probes}/live`)).status).toBe(200);
      // The relay resumes the old watch, which contains the changes from before it had the leases.
      await east.edits.toggleSecret('web-8');
      await west.edits.toggleContract('web-9');
      for (const [index, name] of CLUSTERS.entries()) {
        await eventually(`hold of ${name} by the container`, async () => {
          // The schedule starts functions in the same minutes.
          world.kill('relay');
          const { epoch, untilMs } = await world.relayHold(name);
          return epoch > (before[index]?.epoch ?? 0) && untilMs > Date.now() ? true : undefined;
        });
      }
      await right(east, ['web-8']);
      await right(west, ['web-9']);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, output).toEqual([0, null]);
    expect(output).toContain('the relay released its clusters');
    for (const name of CLUSTERS) expect((await world.relayHold(name)).untilMs).toBeLessThan(Date.now());
    await world.deleteParameter(relayVariablesParameter(STAGE));
    await world.call('relay');
  });
}
